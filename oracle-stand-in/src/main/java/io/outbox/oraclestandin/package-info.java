/**
 * Oracle without a server: its grammar, by two parsers, the rules that no grammar knows, and a database that takes only
 * statements which pass both. Begin with {@link io.outbox.oraclestandin.OracleStandIn}.
 */
package io.outbox.oraclestandin;
