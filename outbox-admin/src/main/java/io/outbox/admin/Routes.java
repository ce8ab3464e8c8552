package io.outbox.admin;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What is answered by whom: method and path, in which a part in braces stands for any value. */
final class Routes {

    /** Answers requests of one kind. */
    interface Handler {
        AdminResponse answer(Exchange exchange);
    }

    /**
     * A kind of request, what it takes, and who answers it.
     *
     * @param names the parameters of a request that reads, or the fields of one that changes something
     * @param readsStore whether it only reads, and from the store
     */
    record Call(String method, List<String> parts, Role role, Set<String> names, boolean readsStore, Handler handler) {

        boolean reads() {
            return method.equals("GET");
        }

        String pattern() {
            return "/" + String.join("/", parts);
        }

        /** Refuses what is not known: it would be meant and not heeded. */
        void requireKnown(AdminRequest request) {
            Set<String> unknown = new TreeSet<>(request.target().query().keySet());
            unknown.removeAll(reads() ? names : Set.of());
            if (!unknown.isEmpty()) {
                throw Problem.unknown("", unknown);
            }
            if (!reads() && names.isEmpty() && request.declaresBody()) {
                throw Problem.badRequest("This call has no body");
            }
        }

        /** Returns the values of the variable parts of a path that fits, or {@code null}. */
        Map<String, String> match(List<String> segments) {
            if (parts.size() != segments.size()) {
                return null;
            }
            Map<String, String> values = new HashMap<>();
            for (int i = 0; i < parts.size(); i++) {
                String part = parts.get(i);
                if (part.startsWith("{")) {
                    values.put(part.substring(1, part.length() - 1), Query.decodeTildes(segments.get(i)));
                } else if (!part.equals(segments.get(i))) {
                    return null;
                }
            }
            return values;
        }
    }

    /** A call that fits, and what it takes from the path. */
    record Match(Call call, Map<String, String> path) {}

    private final List<Call> all = new ArrayList<>();

    /** Adds what reads from the store, with its parameters. */
    Routes get(String pattern, Handler handler, String... params) {
        return add("GET", pattern, Role.READ, true, handler, params);
    }

    /** Adds what this node answers without the store. */
    Routes getWithoutStore(String pattern, Handler handler) {
        return add("GET", pattern, Role.READ, false, handler);
    }

    /** Adds what changes something, with the fields of its body; without any, it has no body. */
    Routes operate(String method, String pattern, Handler handler, String... fields) {
        return add(method, pattern, Role.OPERATE, false, handler, fields);
    }

    private Routes add(String method, String pattern, Role role, boolean readsStore, Handler handler, String... names) {
        all.add(new Call(method, List.of(pattern.substring(1).split("/")), role, Set.of(names), readsStore, handler));
        return this;
    }

    List<Call> all() {
        return List.copyOf(all);
    }

    /** Returns the first call that fits. */
    Match find(String method, List<String> segments) {
        String wanted = method.equals("HEAD") ? "GET" : method;
        TreeSet<String> others = new TreeSet<>();
        for (Call call : all) {
            Map<String, String> path = call.match(segments);
            if (path != null && call.method.equals(wanted)) {
                return new Match(call, path);
            }
            if (path != null) {
                others.add(call.method);
            }
        }
        throw others.isEmpty()
                ? Problem.notFound("There is nothing here")
                : Problem.methodNotAllowed(List.copyOf(others));
    }
}
