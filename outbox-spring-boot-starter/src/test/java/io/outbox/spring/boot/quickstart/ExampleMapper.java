package io.outbox.spring.boot.quickstart;

import org.springframework.stereotype.Component;

@Component
public class ExampleMapper {

    public ExampleEntity toEntity(ExampleCreateDto dto) {
        return new ExampleEntity(dto.name());
    }

    public ExampleDto toDto(ExampleEntity entity) {
        return new ExampleDto(entity.getId(), entity.getName());
    }
}
