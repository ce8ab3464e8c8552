package io.outbox.spring.boot.test;

import org.springframework.test.context.TestPropertySource;

/** Where due times are told by the clock of the store. */
@TestPropertySource(
        properties = {
            "outbox.mode=multi-node",
            "outbox.claim-locking.enabled=true",
            "outbox.claim-locking.lock-timeout=1m"
        })
class MultiNodeTest extends OutboxTesterRules {}
