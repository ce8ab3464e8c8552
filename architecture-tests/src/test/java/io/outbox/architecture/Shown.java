package io.outbox.architecture;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A class that has what is easily misread.
 *
 * @param <T> what it is about
 */
public abstract class Shown<T extends Number> extends Hidden {

    public static final int LIMIT = 3;

    protected Shown(byte @Nullable [] source) {}

    public abstract String[] found(List<? extends T> all) throws IOException;

    abstract void unseenToo();

    @Override
    public String toString() {
        return "shown";
    }
}
