/** Spring transactions for the outbox. */
package io.outbox.spring;
