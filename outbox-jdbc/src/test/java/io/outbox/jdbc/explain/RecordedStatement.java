package io.outbox.jdbc.explain;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** A statement as it was sent: its text and the calls that bound its parameters. */
record RecordedStatement(String sql, List<Binding> bindings) {

    /** A call of a setter of {@link PreparedStatement}. */
    record Binding(Method setter, Object[] arguments) {

        int position() {
            return (Integer) arguments[0];
        }

        Object value() {
            return arguments[1];
        }
    }

    RecordedStatement {
        bindings = List.copyOf(bindings);
    }

    /** Prepares the statement again, with a text in front, and binds the same parameters. */
    PreparedStatement prepare(Connection conn, String prefix) throws SQLException {
        PreparedStatement statement = conn.prepareStatement(prefix + sql);
        for (Binding binding : bindings) {
            try {
                binding.setter.invoke(statement, binding.arguments);
            } catch (IllegalAccessException | InvocationTargetException e) {
                throw new IllegalStateException(e);
            }
        }
        return statement;
    }

    /** Returns the parameters in order. */
    List<Object> parameters() {
        TreeMap<Integer, Object> parameters = new TreeMap<>();
        bindings.forEach(binding -> parameters.put(binding.position(), binding.value()));
        return new ArrayList<>(parameters.values());
    }
}
