package io.outbox.oraclestandin;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What Oracle refuses, or understands differently, although its grammar allows it. Each rule names Oracle's error. */
public final class OracleRules {

    private static final int MOST_IN_A_LIST = 1000;
    private static final int MOST_BINDS = 65_535;
    private static final int LONGEST_IDENTIFIER = 128;

    private static final Pattern QUOTED = Pattern.compile("'([^']*)'");
    private static final Pattern IN_LIST = Pattern.compile("\\bIN \\(([^()]*)\\)", Pattern.CASE_INSENSITIVE);
    private static final Pattern WORD = Pattern.compile("[A-Za-z_][A-Za-z0-9_$#]*");
    private static final Pattern ALIAS = Pattern.compile("\\bAS ([a-z_]+)");
    private static final Pattern DEFINED = Pattern.compile("^ {2}([a-z_]+) +[A-Z]", Pattern.MULTILINE);
    private static final Pattern CALL = Pattern.compile("\\b([A-Za-z_0-9]+) ?\\(");
    private static final Pattern BYTES = Pattern.compile("VARCHAR2 ?\\(\\d+\\)|\\bVARCHAR\\b|\\bCHAR\\(");
    private static final Pattern LARGE = Pattern.compile(
            "(?<![(\\w])(?:payload|headers|last_error|detail|error|content|report) *(?:=|<|>|IN\\b|NOT IN\\b)",
            Pattern.CASE_INSENSITIVE);

    /** The words of Oracle that name nothing else (V$RESERVED_WORDS, reserved = 'Y'). */
    private static final Set<String> RESERVED = words("""
            ACCESS ADD ALL ALTER AND ANY AS ASC AUDIT BETWEEN BY CHAR CHECK CLUSTER COLUMN COLUMN_VALUE COMMENT COMPRESS
            CONNECT CREATE CURRENT DATE DECIMAL DEFAULT DELETE DESC DISTINCT DROP ELSE EXCLUSIVE EXISTS FILE FLOAT FOR FROM
            GRANT GROUP HAVING IDENTIFIED IMMEDIATE IN INCREMENT INDEX INITIAL INSERT INTEGER INTERSECT INTO IS LEVEL LIKE
            LOCK LONG MAXEXTENTS MINUS MLSLABEL MODE MODIFY NESTED_TABLE_ID NOAUDIT NOCOMPRESS NOT NOWAIT NULL NUMBER OF
            OFFLINE ON ONLINE OPTION OR ORDER PCTFREE PRIOR PUBLIC RAW RENAME RESOURCE REVOKE ROW ROWID ROWNUM ROWS SELECT
            SESSION SET SHARE SIZE SMALLINT START SUCCESSFUL SYNONYM SYSDATE TABLE THEN TO TRIGGER UID UNION UNIQUE UPDATE
            USER VALIDATE VALUES VARCHAR VARCHAR2 VIEW WHENEVER WHERE WITH""");

    /** The functions that we know Oracle to have; a grammar takes any name for one. */
    private static final Set<String> FUNCTIONS =
            words("COALESCE CONCAT COUNT INSTR LENGTH LOWER MAX MIN NULLIF SUBSTR SYS_EXTRACT_UTC");

    /** What stands before a parenthesis and is no function. */
    private static final Set<String> NO_FUNCTIONS = words("""
            ALL AND ANY AS ELSE EXISTS FROM IN KEY NOT NUMBER ON OR SELECT THEN TIMESTAMP UNION USING VALUES VARCHAR2 WHEN
            WHERE MODIFY""");

    private OracleRules() {}

    private static Set<String> words(String text) {
        return new TreeSet<>(Arrays.asList(text.strip().split("\\s+")));
    }

    /** Returns the rules that a statement breaks. */
    public static List<String> broken(String sql) {
        List<String> broken = new ArrayList<>();
        if (QUOTED.matcher(sql).results().anyMatch(text -> text.group(1).isEmpty())) {
            broken.add("an empty text is NULL to Oracle, and no comparison with NULL is true");
        }
        String plain = QUOTED.matcher(sql).replaceAll("'text'");
        addLocking(plain, broken);
        addNumbers(plain, broken);
        addNames(plain, broken);
        addTypes(plain, broken);
        return broken;
    }

    private static void addLocking(String sql, List<String> broken) {
        String upper = sql.toUpperCase(Locale.ROOT);
        int lock = upper.indexOf(" FOR UPDATE");
        if (lock >= 0
                && Pattern.compile("\\b(FETCH|DISTINCT|GROUP BY|UNION)\\b")
                        .matcher(upper)
                        .find()) {
            broken.add("ORA-02014: no FOR UPDATE with FETCH FIRST, DISTINCT, GROUP BY or UNION");
        }
        if (lock >= 0 && upper.indexOf(')', lock) >= 0) {
            broken.add("ORA-00907: FOR UPDATE only at the end of the whole statement");
        }
    }

    private static void addNumbers(String sql, List<String> broken) {
        if (IN_LIST.matcher(sql).results().anyMatch(list -> list.group(1).split(",").length > MOST_IN_A_LIST)) {
            broken.add("ORA-01795: at most 1000 expressions in a list");
        }
        if (sql.chars().filter(sign -> sign == '?').count() > MOST_BINDS) {
            broken.add("ORA-01745: at most 65535 parameters");
        }
    }

    private static void addNames(String sql, List<String> broken) {
        if (WORD.matcher(sql).results().anyMatch(word -> word.group().length() > LONGEST_IDENTIFIER)) {
            broken.add("ORA-00972: identifiers have at most 128 bytes");
        }
        for (Pattern named : List.of(ALIAS, DEFINED)) {
            named.matcher(sql)
                    .results()
                    .map(name -> name.group(1))
                    .filter(name -> RESERVED.contains(name.toUpperCase(Locale.ROOT)))
                    .forEach(name -> broken.add("ORA-00904: " + name + " is a reserved word"));
        }
        boolean isDefinition = sql.startsWith("CREATE ") || sql.startsWith("BEGIN");
        Matcher call =
                CALL.matcher(isDefinition ? "" : sql.replaceAll("(?i)\\bINTO \\S+( \\w+)? \\(|\\bINSERT \\(", ""));
        while (call.find()) {
            String name = call.group(1).toUpperCase(Locale.ROOT);
            if (!FUNCTIONS.contains(name) && !NO_FUNCTIONS.contains(name)) {
                broken.add("ORA-00904: not known to be a function of Oracle: " + name);
            }
        }
    }

    private static void addTypes(String sql, List<String> broken) {
        if (BYTES.matcher(sql).find()) {
            broken.add("ORA-12899: a length without CHAR counts bytes");
        }
        if (sql.startsWith("CREATE TABLE")
                && Pattern.compile("\\bDATE\\b").matcher(sql).find()) {
            broken.add("DATE has no fractions of a second");
        }
        String line = sql.replaceAll("\\s+", " ");
        int where = line.toUpperCase(Locale.ROOT).indexOf(" WHERE ");
        if (where >= 0 && LARGE.matcher(line.substring(where)).find()) {
            broken.add("ORA-00932: no CLOB is compared");
        }
    }

    /** Returns whether an empty text is bound to a parameter that something is compared with. */
    static boolean isCompared(String sql, int parameter) {
        int place = -1;
        for (int i = 0; i < parameter; i++) {
            place = sql.indexOf('?', place + 1);
        }
        String before = sql.substring(0, place).stripTrailing();
        int end = place;
        return before.matches("(?s).*(=|<|>|LIKE)") && !isAssigned(before)
                || IN_LIST.matcher(sql).results().anyMatch(list -> list.start() < end && end < list.end());
    }

    /** Returns whether it is a value of an UPDATE. */
    private static boolean isAssigned(String before) {
        String upper = before.toUpperCase(Locale.ROOT);
        return upper.startsWith("UPDATE") && !upper.contains(" WHERE ") && !upper.contains("\nWHERE ");
    }
}
