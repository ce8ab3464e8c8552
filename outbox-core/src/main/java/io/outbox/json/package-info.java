/** JSON for parts of the outbox that have no library for it: {@link io.outbox.json.JsonText}. */
@NullMarked
package io.outbox.json;

import org.jspecify.annotations.NullMarked;
