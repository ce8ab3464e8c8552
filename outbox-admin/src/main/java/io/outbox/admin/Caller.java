package io.outbox.admin;

import java.util.Objects;
import java.util.Set;

/**
 * The user who makes a request, by the name under which the user was authenticated.
 *
 * @param name the name that the audit log shows
 */
public record Caller(String name, Set<Role> roles) {

    public Caller {
        Objects.requireNonNull(name, "name");
        roles = Set.copyOf(roles);
    }

    /** Returns whether the caller may do this; who operates may also read. */
    public boolean may(Role role) {
        return roles.contains(role) || roles.contains(Role.OPERATE);
    }
}
