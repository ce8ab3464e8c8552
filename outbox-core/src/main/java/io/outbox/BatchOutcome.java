package io.outbox;

import java.util.Objects;

/** What became of one event of a batch: a {@link DispatchResult}, or a failure that is treated like a thrown one. */
public sealed interface BatchOutcome {

    /** The event was processed. */
    static BatchOutcome done() {
        return of(DispatchResult.done());
    }

    /** The event has the given result. */
    static BatchOutcome of(DispatchResult result) {
        return new Handled(result);
    }

    /** The event failed; the exception's type decides as if a listener had thrown it. */
    static BatchOutcome failed(Throwable error) {
        return new Failed(error);
    }

    /** Returns the result, or throws the failure. */
    DispatchResult resultOrThrow() throws Exception;

    record Handled(DispatchResult result) implements BatchOutcome {
        public Handled {
            Objects.requireNonNull(result, "result");
        }

        @Override
        public DispatchResult resultOrThrow() {
            return result;
        }
    }

    record Failed(Throwable error) implements BatchOutcome {
        public Failed {
            Objects.requireNonNull(error, "error");
        }

        @Override
        public DispatchResult resultOrThrow() throws Exception {
            if (error instanceof Error fatal) {
                throw fatal;
            }
            throw error instanceof Exception exception ? exception : new IllegalStateException(error);
        }
    }
}
