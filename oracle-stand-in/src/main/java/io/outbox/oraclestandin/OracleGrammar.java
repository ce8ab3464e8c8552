package io.outbox.oraclestandin;

import io.debezium.ddl.parser.oracle.generated.PlSqlLexer;
import io.debezium.ddl.parser.oracle.generated.PlSqlParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.antlr.v4.runtime.BaseErrorListener;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.Lexer;
import org.antlr.v4.runtime.Parser;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Recognizer;
import org.antlr.v4.runtime.atn.PredictionMode;
import org.apache.shardingsphere.sql.parser.autogen.OracleStatementLexer;
import org.apache.shardingsphere.sql.parser.autogen.OracleStatementParser;

/**
 * Oracle's grammar as two independent parsers know it: that of Debezium, and that of Apache ShardingSphere. A statement
 * passes if both take it.
 */
public final class OracleGrammar {

    private OracleGrammar() {}

    /** Returns what the parsers have against a statement; nothing if both take it. */
    public static List<String> errors(String sql) {
        List<String> errors = new ArrayList<>();
        judge(mode -> debezium(sql, mode)).forEach(error -> errors.add("Debezium: " + error));
        judge(mode -> shardingSphere(sql, mode)).forEach(error -> errors.add("ShardingSphere: " + error));
        return errors;
    }

    /** Tries the faster of two ways to parse first, which at worst refuses what the other takes. */
    private static List<String> judge(Function<PredictionMode, List<String>> parser) {
        return parser.apply(PredictionMode.SLL).isEmpty() ? List.of() : parser.apply(PredictionMode.LL);
    }

    /** This one knows its keywords in upper case only, and parameters by their names. */
    private static List<String> debezium(String sql, PredictionMode mode) {
        Errors errors = new Errors(mode);
        PlSqlLexer lexer =
                new PlSqlLexer(CharStreams.fromString(sql.replace("?", ":p").toUpperCase(Locale.ROOT)));
        PlSqlParser parser = new PlSqlParser(errors.of(lexer));
        errors.of(parser);
        parser.sql_script();
        return errors.found;
    }

    private static List<String> shardingSphere(String sql, PredictionMode mode) {
        Errors errors = new Errors(mode);
        OracleStatementLexer lexer = new OracleStatementLexer(CharStreams.fromString(sql));
        OracleStatementParser parser = new OracleStatementParser(errors.of(lexer));
        errors.of(parser);
        parser.execute();
        return errors.found;
    }

    /** Collects errors instead of printing them. */
    private static final class Errors extends BaseErrorListener {

        private final List<String> found = new ArrayList<>();
        private final PredictionMode mode;

        Errors(PredictionMode mode) {
            this.mode = mode;
        }

        CommonTokenStream of(Lexer lexer) {
            lexer.removeErrorListeners();
            lexer.addErrorListener(this);
            return new CommonTokenStream(lexer);
        }

        void of(Parser parser) {
            parser.removeErrorListeners();
            parser.addErrorListener(this);
            parser.getInterpreter().setPredictionMode(mode);
        }

        @Override
        public void syntaxError(
                Recognizer<?, ?> recognizer,
                Object offendingSymbol,
                int line,
                int position,
                String message,
                RecognitionException e) {
            found.add(line + ":" + position + " " + message.replaceAll(" expecting .*", ""));
        }
    }
}
