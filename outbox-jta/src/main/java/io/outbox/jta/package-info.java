/** Jakarta transactions for the outbox. Begin with {@link io.outbox.jta.JtaTxContext}. */
package io.outbox.jta;
