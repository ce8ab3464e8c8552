/** JSON for parts of the outbox that have no library for it: {@link io.outbox.json.JsonText}. */
package io.outbox.json;
