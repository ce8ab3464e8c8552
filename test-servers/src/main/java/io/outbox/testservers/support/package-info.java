/** What the tests of several modules need beside servers: lines of the log, calls to a driver, other processes. */
package io.outbox.testservers.support;
