package io.outbox.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A plot of lines over a few named steps, drawn as SVG. The values begin at zero, so that nothing looks steeper than it
 * is.
 */
final class Plot {

    private static final int WIDTH = 760;
    private static final int HEIGHT = 420;
    private static final int LEFT = 80;
    private static final int RIGHT = 20;
    private static final int TOP = 50;
    private static final int BOTTOM = 60;
    private static final int LEGEND_LINE = 20;
    private static final int GRID_LINES = 5;
    private static final List<String> COLOURS =
            List.of("#4d4d4d", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9");

    private final String title;
    private final String steps;
    private final String unit;
    private final List<String> names;
    private final List<Line> lines = new ArrayList<>();

    Plot(String title, String steps, String unit, List<String> names) {
        this.title = title;
        this.steps = steps;
        this.unit = unit;
        this.names = names;
    }

    private record Line(String label, List<Double> values, String colour) {}

    /** Adds a line with one value for each step. */
    void line(String label, List<Double> values) {
        lines.add(new Line(label, values, COLOURS.get(lines.size() % COLOURS.size())));
    }

    void write(String fileName) throws IOException {
        Files.createDirectories(Settings.PLOTS);
        Path file = Settings.PLOTS.resolve(fileName);
        Files.writeString(file, svg());
        System.out.println("Drawn: " + file);
    }

    private String svg() {
        StringBuilder svg = new StringBuilder();
        int height = HEIGHT + LEGEND_LINE * lines.size();
        add(
                svg,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                        + " font-size=\"13\">",
                WIDTH,
                height);
        add(svg, "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>", WIDTH, height);
        text(svg, WIDTH / 2.0, 24, "middle", title);
        text(svg, WIDTH / 2.0, HEIGHT - 14, "middle", steps);
        text(svg, LEFT, TOP - 12, "middle", unit);
        axes(svg);
        for (int i = 0; i < lines.size(); i++) {
            draw(svg, lines.get(i), HEIGHT + LEGEND_LINE * i);
        }
        return svg.append("</svg>\n").toString();
    }

    private void axes(StringBuilder svg) {
        double gap = gridGap();
        for (double value = 0; value <= most(); value += gap) {
            add(
                    svg,
                    "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dddddd\"/>",
                    LEFT,
                    y(value),
                    WIDTH - RIGHT,
                    y(value));
            text(svg, LEFT - 8, y(value) + 4, "end", String.format(Locale.ROOT, "%,.0f", value));
        }
        for (int i = 0; i < names.size(); i++) {
            text(svg, x(i), HEIGHT - BOTTOM + 20, "middle", names.get(i));
        }
    }

    private void draw(StringBuilder svg, Line line, int legendY) {
        StringBuilder points = new StringBuilder();
        for (int i = 0; i < line.values.size(); i++) {
            double y = y(line.values.get(i));
            points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(i), y));
            add(svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>", x(i), y, line.colour);
        }
        add(
                svg,
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>",
                points.toString().strip(),
                line.colour);
        add(svg, "<rect x=\"%d\" y=\"%d\" width=\"24\" height=\"4\" fill=\"%s\"/>", LEFT, legendY - 4, line.colour);
        text(svg, LEFT + 32, legendY + 2, "start", line.label);
    }

    private double most() {
        return lines.stream()
                        .flatMap(line -> line.values.stream())
                        .mapToDouble(Double::doubleValue)
                        .max()
                        .orElse(1)
                * 1.05;
    }

    /** Returns a round number that divides the values into a few parts. */
    private double gridGap() {
        double raw = most() / GRID_LINES;
        double power = Math.pow(10, Math.floor(Math.log10(raw)));
        double digit = raw / power;
        return power * (digit < 2 ? 2 : digit < 5 ? 5 : 10);
    }

    private double x(int step) {
        double inner = WIDTH - LEFT - RIGHT;
        return LEFT + inner * (step + 0.5) / names.size();
    }

    private double y(double value) {
        double inner = HEIGHT - TOP - BOTTOM;
        return TOP + inner * (1 - value / most());
    }

    private static void text(StringBuilder svg, double x, double y, String anchor, String text) {
        add(
                svg,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>",
                x,
                y,
                anchor,
                text.replace("&", "&amp;").replace("<", "&lt;"));
    }

    private static void add(StringBuilder svg, String format, Object... args) {
        svg.append(String.format(Locale.ROOT, format, args)).append('\n');
    }
}
