package io.outbox.jdbc.internal;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.internal.ColumnRule.Kind;
import io.outbox.spi.Outcome;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a table has to be like for our statements.
 *
 * @param columns its columns
 * @param key the columns that are a key
 * @param isOutbox whether it is the table that others may have made after the model of the specification: it may have a
 *     longer key, as a partitioned table needs, and indexes that serve in another way
 */
public record TableShape(List<ColumnRule> columns, List<String> key, boolean isOutbox) {

    private static final Pattern VARCHAR = Pattern.compile("VARCHAR2?\\((\\d+)(?: CHAR)?\\).*");
    private static final Pattern KEY_OF_TABLE =
            Pattern.compile("^ {2}(?:CONSTRAINT \\w+ )?PRIMARY KEY \\(([^)]*)\\)", Pattern.MULTILINE);

    /** Headers have no limit of their own; this is room for what applications use them for. */
    private static final long USUAL_HEADERS = 4000;

    /** What delivery writes into the outbox table. A table of JSON columns, as the specification has it, will do. */
    public static final TableShape OUTBOX = new TableShape(
            List.of(
                    new ColumnRule("event_id", Kind.KEY, 36, false),
                    new ColumnRule("event_type", Kind.KEY, 128, false),
                    new ColumnRule("aggregate_type", Kind.KEY, 64, false),
                    new ColumnRule("aggregate_id", Kind.KEY, 128, true),
                    new ColumnRule("tenant_id", Kind.KEY, 64, true),
                    new ColumnRule("payload", Kind.DOCUMENT, EventEnvelope.MAX_PAYLOAD_BYTES, false),
                    new ColumnRule("headers", Kind.DOCUMENT, USUAL_HEADERS, true),
                    new ColumnRule("status", Kind.STATUS, 0, false),
                    new ColumnRule("attempts", Kind.COUNT, 0, false),
                    new ColumnRule("available_at", Kind.TIME, 0, false),
                    new ColumnRule("created_at", Kind.TIME, 0, false),
                    new ColumnRule("done_at", Kind.TIME, 0, true),
                    new ColumnRule("last_error", Kind.REASON, Outcome.MAX_ERROR_LENGTH, true),
                    new ColumnRule("locked_by", Kind.KEY, 128, true),
                    new ColumnRule("locked_at", Kind.TIME, 0, true)),
            List.of("event_id"),
            true);

    /** Returns the shape that a script gives its table; it is the only one that we use. */
    public static TableShape of(SchemaScript script) {
        List<ColumnRule> columns =
                script.columns().values().stream().map(TableShape::rule).toList();
        return new TableShape(columns, key(script), false);
    }

    /** Returns the shape of the columns that a script adds for order by key. */
    static TableShape ofKeyed(SchemaScript script) {
        return new TableShape(
                script.keyedColumns().values().stream()
                        .map(TableShape::keyedRule)
                        .toList(),
                List.of(),
                false);
    }

    private static ColumnRule keyedRule(ColumnDefinition column) {
        ColumnRule rule = rule(column);
        Kind kind = column.isSequence() ? Kind.SEQUENCE : rule.kind() == Kind.KEY ? Kind.ORDER_KEY : rule.kind();
        return new ColumnRule(rule.name(), kind, rule.length(), kind == Kind.ORDER_KEY || kind == Kind.NUMBER);
    }

    private static List<String> key(SchemaScript script) {
        Matcher ofTable = KEY_OF_TABLE.matcher(script.table().get(0));
        return ofTable.find()
                ? List.of(ofTable.group(1).split(",\\s*"))
                : script.columns().values().stream()
                        .filter(ColumnDefinition::isKey)
                        .map(ColumnDefinition::name)
                        .toList();
    }

    private static ColumnRule rule(ColumnDefinition column) {
        Matcher varchar = VARCHAR.matcher(column.type());
        Kind kind = varchar.matches() ? Kind.KEY : kind(column.type().toUpperCase(Locale.ROOT));
        long length = varchar.matches() ? Long.parseLong(varchar.group(1)) : kind == Kind.TEXT ? length(column) : 0;
        return new ColumnRule(column.name(), kind, length, !column.isNotNull());
    }

    private static Kind kind(String type) {
        return switch (type.replaceAll("\\(.*", "")) {
            case "TIMESTAMP", "DATETIME" -> Kind.TIME;
            case "TINYINT", "SMALLINT" -> Kind.STATUS;
            case "INT" -> Kind.COUNT;
            case "BIGINT", "NUMBER" -> Kind.NUMBER;
            default -> Kind.TEXT;
        };
    }

    private static long length(ColumnDefinition text) {
        return switch (text.name()) {
            case "payload" -> EventEnvelope.MAX_PAYLOAD_BYTES;
            case "headers" -> USUAL_HEADERS;
            default -> Outcome.MAX_ERROR_LENGTH;
        };
    }
}
