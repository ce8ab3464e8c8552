package io.outbox.admin;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** What is answered by whom: method and path, in which a part in braces stands for any value. */
final class Routes {

    /** Answers requests of one kind. */
    interface Handler {
        AdminResponse answer(Exchange exchange);
    }

    /** A kind of request, what it takes, and who answers it. */
    record Route(String method, String pattern, Role role, Handler handler) {

        /** Returns the values of the variable parts of a path that fits, or {@code null}. */
        Map<String, String> match(List<String> segments) {
            String[] parts = pattern.substring(1).split("/");
            if (parts.length != segments.size()) {
                return null;
            }
            Map<String, String> values = new HashMap<>();
            for (int i = 0; i < parts.length; i++) {
                if (parts[i].startsWith("{")) {
                    values.put(parts[i].substring(1, parts[i].length() - 1), segments.get(i));
                } else if (!parts[i].equals(segments.get(i))) {
                    return null;
                }
            }
            return values;
        }
    }

    /** A route that fits, and what it takes from the path. */
    record Match(Route route, Map<String, String> path) {}

    private final List<Route> all = new ArrayList<>();

    Routes get(String pattern, Handler handler) {
        return add("GET", pattern, Role.READ, handler);
    }

    Routes operate(String method, String pattern, Handler handler) {
        return add(method, pattern, Role.OPERATE, handler);
    }

    private Routes add(String method, String pattern, Role role, Handler handler) {
        all.add(new Route(method, pattern, role, handler));
        return this;
    }

    List<Route> all() {
        return List.copyOf(all);
    }

    /** Returns the first route that fits, or {@code null}; a path that fits with another method is a problem. */
    Match find(String method, List<String> segments) {
        String wanted = method.equals("HEAD") ? "GET" : method;
        TreeSet<String> others = new TreeSet<>();
        for (Route route : all) {
            Map<String, String> path = route.match(segments);
            if (path != null && route.method.equals(wanted)) {
                return new Match(route, path);
            }
            if (path != null) {
                others.add(route.method);
            }
        }
        if (!others.isEmpty()) {
            throw Problem.methodNotAllowed(List.copyOf(others));
        }
        return null;
    }
}
