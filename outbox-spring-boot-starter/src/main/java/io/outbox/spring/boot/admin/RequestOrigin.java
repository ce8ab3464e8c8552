package io.outbox.spring.boot.admin;

import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Where a request comes from, as far as the container knows it. Filters may show another address and hide headers, as
 * Spring's does for what proxies add: what is asked here is the request below all of them.
 */
final class RequestOrigin {

    /** What Tomcat's valve sets on a request whose address it has taken from a header. */
    private static final String FORWARDED = "org.apache.tomcat.request.forwarded";

    private static final String BYTE = "(25[0-5]|2[0-4]\\d|1?\\d?\\d)";
    private static final Pattern LITERAL = Pattern.compile(BYTE + "(\\." + BYTE + "){3}|[0-9a-fA-F:]*:[0-9a-fA-F:.]*");

    private final HttpServletRequest request;

    RequestOrigin(HttpServletRequest request) {
        ServletRequest innermost = request;
        while (innermost instanceof ServletRequestWrapper wrapper) {
            innermost = wrapper.getRequest();
        }
        this.request = innermost instanceof HttpServletRequest http ? http : request;
    }

    /** Returns the headers as they were sent; of several values the first. */
    Map<String, String> headers() {
        Map<String, String> headers = new HashMap<>();
        Collections.list(request.getHeaderNames()).forEach(name -> headers.put(name, request.getHeader(name)));
        return headers;
    }

    /** Returns the other end of the connection, or {@code null} if that is not certain. Never looks a name up. */
    InetAddress address() {
        String address = request.getRemoteAddr();
        if (request.getAttribute(FORWARDED) != null || address == null) {
            return null;
        }
        String literal = address.replaceFirst("%.*", "");
        try {
            return LITERAL.matcher(literal).matches() ? InetAddress.getByName(literal) : null;
        } catch (UnknownHostException e) {
            return null;
        }
    }
}
