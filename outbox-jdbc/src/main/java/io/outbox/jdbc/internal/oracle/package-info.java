/** Errors of Oracle. Knows nothing of the other packages, so that all of them may use it. */
package io.outbox.jdbc.internal.oracle;
