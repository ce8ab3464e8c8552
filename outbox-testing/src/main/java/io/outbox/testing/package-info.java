/**
 * Test support: contract suites that every storage engine must pass, an engine in memory, and delivery by hand for the
 * tests of applications.
 */
package io.outbox.testing;
