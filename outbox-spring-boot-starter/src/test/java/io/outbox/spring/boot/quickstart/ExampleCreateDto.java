package io.outbox.spring.boot.quickstart;

public record ExampleCreateDto(String name) {}
