package io.outbox.samples.demo;

import io.outbox.samples.demo.screen.Screen;
import io.outbox.samples.demo.shop.ShopDemo;
import io.outbox.samples.demo.tour.Tour;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * What {@code ./outbox demo} runs: a shop with a dashboard until Ctrl-C, or with {@code --once} a tour that ends by
 * itself.
 */
public final class Demo {

    private static final Logger OUTBOX_LOG = Logger.getLogger("io.outbox");

    private Demo() {}

    public static void main(String[] args) throws Exception {
        OUTBOX_LOG.setLevel(Level.OFF); // the demo tells by itself what would be in the log
        List<String> arguments = List.of(args);
        Screen screen = Screen.ofThisProcess();
        if (arguments.isEmpty()) {
            ShopDemo.run(screen);
        } else if (!arguments.equals(List.of("--once"))) {
            screen.wrong("unknown arguments %s; there is only --once", arguments);
            System.exit(2);
        } else if (!Tour.run(screen)) {
            System.exit(1);
        }
    }
}
