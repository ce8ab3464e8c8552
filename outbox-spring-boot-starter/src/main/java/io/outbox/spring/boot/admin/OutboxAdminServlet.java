package io.outbox.spring.boot.admin;

import io.outbox.admin.AdminRequest;
import io.outbox.admin.AdminResponse;
import io.outbox.admin.AdminStream;
import io.outbox.admin.Caller;
import io.outbox.admin.OutboxAdmin;
import io.outbox.admin.Role;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.security.Principal;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.springframework.boot.web.servlet.ServletRegistrationBean;

/**
 * Hands requests of a servlet container to an {@link OutboxAdmin}. A user whom the container knows has the roles it
 * says.
 */
final class OutboxAdminServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    private final transient OutboxAdmin admin;
    private final Map<Role, String> roles;

    /** @param roles how the container calls our roles */
    OutboxAdminServlet(OutboxAdmin admin, Map<Role, String> roles) {
        this.admin = admin;
        this.roles = new HashMap<>(roles);
    }

    /** Returns where and how a container serves the administration. */
    static ServletRegistrationBean<OutboxAdminServlet> registration(
            OutboxAdmin admin, OutboxAdminProperties properties) {
        Map<Role, String> roles =
                Map.of(Role.READ, properties.getReadRole(), Role.OPERATE, properties.getOperateRole());
        ServletRegistrationBean<OutboxAdminServlet> registration = new ServletRegistrationBean<>(
                new OutboxAdminServlet(admin, roles), admin.basePath() + "/*", OutboxAdmin.DLQ_PATH + "/*");
        registration.setName("outboxAdmin");
        return registration;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        RequestOrigin origin = new RequestOrigin(request);
        AdminResponse answer = admin.handle(new AdminRequest(
                AdminRequest.Target.of(request.getMethod(), path(request), request.getQueryString()),
                origin.headers(),
                most -> RequestBody.read(request.getInputStream(), most),
                origin.address(),
                caller(request)));
        response.setStatus(answer.status());
        answer.headers().forEach(response::setHeader);
        if (answer.contentType() != null) {
            response.setContentType(answer.contentType());
        }
        boolean isHead = request.getMethod().equals("HEAD");
        if (answer.stream() != null && !isHead && request.isAsyncSupported()) {
            stream(answer.stream(), request, response);
            return;
        }
        boolean isUnread = RequestBody.isUnread(request);
        if (isUnread) {
            response.setHeader("Connection", "close");
        }
        if (answer.body().length() >= 0 && answer.status() != HttpServletResponse.SC_NOT_MODIFIED) {
            response.setContentLengthLong(answer.body().length());
        }
        if (!isHead) {
            answer.body().writeTo(response.getOutputStream());
        }
        if (isUnread) {
            response.flushBuffer();
            RequestBody.discard(request);
        }
    }

    /** Gives the container its thread back while the stream lasts. */
    private static void stream(AdminStream stream, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        OutputStream out = response.getOutputStream();
        AsyncContext async = request.startAsync();
        async.setTimeout(0);
        stream.start(out, async::complete);
    }

    /** Returns the path as it was sent, from the application's own on. */
    private static String path(HttpServletRequest request) {
        return request.getRequestURI().substring(request.getContextPath().length());
    }

    private Caller caller(HttpServletRequest request) {
        Principal user = request.getUserPrincipal();
        if (user == null) {
            return null;
        }
        Set<Role> granted = EnumSet.noneOf(Role.class);
        roles.forEach((role, name) -> {
            if (request.isUserInRole(name)) {
                granted.add(role);
            }
        });
        return new Caller(user.getName(), granted);
    }
}
