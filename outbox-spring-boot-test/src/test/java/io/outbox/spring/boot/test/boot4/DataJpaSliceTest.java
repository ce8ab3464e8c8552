package io.outbox.spring.boot.test.boot4;

import io.outbox.spring.boot.test.SliceRules;
import io.outbox.spring.boot.test.shop.Shop;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.test.context.ContextConfiguration;

@DataJpaTest
@ContextConfiguration(classes = Shop.class)
class DataJpaSliceTest extends SliceRules {}
