package io.outbox.spring.boot.quickstart.annotated;

import io.outbox.spring.boot.OutboxPublish;
import io.outbox.spring.boot.quickstart.ExampleCreateDto;
import io.outbox.spring.boot.quickstart.ExampleDto;
import io.outbox.spring.boot.quickstart.ExampleEntity;
import io.outbox.spring.boot.quickstart.ExampleMapper;
import io.outbox.spring.boot.quickstart.ExampleRepository;
import lombok.RequiredArgsConstructor;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service("annotatedExampleService")
@RequiredArgsConstructor
public class ExampleService {

    private final ExampleRepository repository;
    private final ExampleMapper mapper;

    @Transactional
    @OutboxPublish(eventType = "create-example-event") // payload by default is "#result"
    public ExampleDto save(ExampleCreateDto dto) {
        ExampleEntity entity = repository.save(mapper.toEntity(dto));
        return mapper.toDto(entity);
    }
}
