/** Jakarta transactions for the outbox. Begin with {@link io.outbox.jta.JtaTxContext}. */
@NullMarked
package io.outbox.jta;

import org.jspecify.annotations.NullMarked;
