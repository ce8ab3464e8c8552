package io.outbox.spring.boot.test.boot4;

import io.outbox.spring.boot.test.SliceRules;
import io.outbox.spring.boot.test.shop.Shop;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.test.context.ContextConfiguration;

@JdbcTest
@ContextConfiguration(classes = Shop.class)
class JdbcSliceTest extends SliceRules {}
