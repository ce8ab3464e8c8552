package io.outbox.architecture;

/** A class that only {@link Shown} lets others see, in part. */
abstract class Hidden implements Runnable {

    public void inherited() {}

    void unseen() {}
}
