package io.outbox.jdbc.store;

import java.sql.ResultSet;
import java.sql.SQLException;

/** Text from H2 columns of type JSON: H2 stores text that was bound as a string as a JSON string. */
final class H2Json {

    private H2Json() {}

    /** Returns the text that was written into the column, given the text read from it. */
    static String text(ResultSet row, String column, String read) throws SQLException {
        boolean quoted = read != null && read.length() >= 2 && read.charAt(0) == '"';
        if (!quoted || !"JSON".equals(row.getMetaData().getColumnTypeName(row.findColumn(column)))) {
            return read;
        }
        StringBuilder text = new StringBuilder(read.length());
        for (int i = 1; i < read.length() - 1; i++) {
            char c = read.charAt(i);
            if (c != '\\') {
                text.append(c);
                continue;
            }
            char escaped = read.charAt(++i);
            switch (escaped) {
                case 'b' -> text.append('\b');
                case 'f' -> text.append('\f');
                case 'n' -> text.append('\n');
                case 'r' -> text.append('\r');
                case 't' -> text.append('\t');
                case 'u' -> {
                    text.append((char) Integer.parseInt(read.substring(i + 1, i + 5), 16));
                    i += 4;
                }
                default -> text.append(escaped);
            }
        }
        return text.toString();
    }
}
