package io.outbox.jdbc.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The check of the columns of a table on a database that we know. */
final class ColumnCheck {

    /** What must keep every character. */
    private static final Set<ColumnRule.Kind> NEVER_CUT =
            Set.of(ColumnRule.Kind.DOCUMENT, ColumnRule.Kind.TEXT, ColumnRule.Kind.ORDER_KEY);

    private static final int MICROSECONDS = 6;
    private static final int MILLISECONDS = 3;

    private final String table;
    private final Map<String, ColumnRule> wanted;
    private final TableRules rules;
    private final Map<String, ColumnDefinition> definitions;

    ColumnCheck(String table, TableShape shape, TableRules rules, Map<String, ColumnDefinition> definitions) {
        this.table = table;
        this.wanted = shape.columns().stream().collect(Collectors.toMap(ColumnRule::name, Function.identity()));
        this.rules = rules;
        this.definitions = definitions;
    }

    /** Returns what is wrong; whether a column takes NULL is known of tables only. */
    List<Finding> findings(List<Column> columns, boolean isTable) {
        List<Finding> findings = new ArrayList<>();
        for (Column column : columns) {
            ColumnRule rule = wanted.get(column.name());
            if (rule != null) {
                addType(column, rule, findings);
            }
            if (isTable && !column.nullable()) {
                addNotNull(column, rule, findings);
            }
        }
        addCharacters(columns, findings);
        return findings;
    }

    private void addType(Column column, ColumnRule rule, List<Finding> findings) {
        ColumnDefinition definition = definitions.get(rule.name());
        if (rule.kind() == ColumnRule.Kind.SEQUENCE && !column.filled()) {
            findings.add(Finding.error(
                    "column " + column.name() + " is not " + definition.text() + ": "
                            + rule.kind().consequence(),
                    null));
            return;
        }
        boolean isMixed = rule.kind() == ColumnRule.Kind.ORDER_KEY && !rules.tellsTextsApart(column);
        String problem = "column " + column.name() + " is " + column.spelled()
                + (isMixed ? " COLLATE " + column.collation() : "") + ", not " + definition.type() + ": "
                + rule.kind().consequence();
        String remedy = rules.retype(table, column, definition);
        boolean typeFits = rules.types(rule.kind()).contains(column.type());
        boolean isTooShort = column.length() != null && column.length() < rule.length();
        boolean isTime = rule.kind() == ColumnRule.Kind.TIME && column.fraction() != null;
        if (!typeFits || isTooShort || isMixed || (isTime && column.fraction() < MILLISECONDS)) {
            findings.add(Finding.error(problem, remedy));
        } else if (isTime && column.fraction() < MICROSECONDS) {
            findings.add(Finding.warning(problem, remedy));
        }
    }

    private void addNotNull(Column column, ColumnRule rule, List<Finding> findings) {
        if (rule != null && rule.getsNull()) {
            findings.add(Finding.error(
                    "column " + column.name() + " is NOT NULL: a row without this value would be rejected",
                    rules.allowNull(table, column)));
        } else if (rule == null && !column.filled()) {
            findings.add(Finding.error(
                    "column " + column.name()
                            + " is not known and NOT NULL without a default: every row would be refused",
                    rules.allowNull(table, column)));
        }
    }

    /** Text of the application's own, and keys, must keep every character; other ids and names seldom need it. */
    private void addCharacters(List<Column> columns, List<Finding> findings) {
        List<Column> narrow = columns.stream()
                .filter(column -> wanted.containsKey(column.name()) && !rules.takesEveryCharacter(column))
                .toList();
        if (narrow.isEmpty()) {
            return;
        }
        boolean isError =
                narrow.stream().map(column -> wanted.get(column.name()).kind()).anyMatch(NEVER_CUT::contains);
        String problem = narrow.stream()
                .map(column -> column.name() + " (" + column.characterSet() + ")")
                .collect(Collectors.joining(", ", "not every character fits into ", ": some text would be refused"));
        findings.add(new Finding(isError, problem, rules.takeEveryCharacter(table)));
    }
}
