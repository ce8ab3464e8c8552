package io.outbox;

/** An {@link AggregateType} made from a string. */
public record StringAggregateType(String name) implements AggregateType {

    public StringAggregateType {
        Check.notBlank(name, "aggregateType");
    }

    public static StringAggregateType of(String name) {
        return new StringAggregateType(name);
    }

    @Override
    public String toString() {
        return name;
    }
}
