package io.outbox.jdbc.explain;

import java.util.Set;

/**
 * How a database runs a statement.
 *
 * @param text what it says about it
 * @param indexes the indexes it uses
 * @param fullScan whether it reads the whole table or a whole index
 * @param sort whether it sorts
 * @param rowsExamined how many rows or index entries it really read
 */
record Plan(String text, Set<String> indexes, boolean fullScan, boolean sort, long rowsExamined) {}
