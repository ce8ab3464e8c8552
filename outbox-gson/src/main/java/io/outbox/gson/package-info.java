/** Payloads by Gson: {@link io.outbox.gson.GsonJsonCodec}. */
package io.outbox.gson;
