package io.outbox.spring.boot.quickstart;

public record ExampleDto(Long id, String name) {}
