package io.outbox.spring.boot.test;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/**
 * Lets each test method begin with nothing written, before its transaction begins, whatever ran in the context before.
 */
class OutboxTesterTestExecutionListener extends AbstractTestExecutionListener {

    /** After dependency injection (2000), before transactions (4000) and scripts (5000). */
    private static final int ORDER = 3500;

    @Override
    public int getOrder() {
        return ORDER;
    }

    @Override
    public void beforeTestMethod(TestContext testContext) {
        if (testContext.hasApplicationContext()) {
            testContext
                    .getApplicationContext()
                    .getBeanProvider(OutboxTester.class)
                    .ifAvailable(OutboxTester::begin);
        }
    }
}
