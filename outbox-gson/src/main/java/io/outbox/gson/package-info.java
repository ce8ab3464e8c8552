/** Payloads by Gson: {@link io.outbox.gson.GsonJsonCodec}. */
@NullMarked
package io.outbox.gson;

import org.jspecify.annotations.NullMarked;
