/** Spring transactions for the outbox. */
@NullMarked
package io.outbox.spring;

import org.jspecify.annotations.NullMarked;
