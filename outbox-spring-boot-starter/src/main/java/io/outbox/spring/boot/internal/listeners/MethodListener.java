package io.outbox.spring.boot.internal.listeners;

import io.outbox.DeliveryInfo;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import java.util.List;

/** A method of a bean that takes one event. */
record MethodListener(BeanMethod method, List<ListenerArgument> arguments) implements EventListener.Informed {

    @Override
    public DispatchResult onEvent(EventEnvelope event, DeliveryInfo info) throws Exception {
        Object[] values =
                arguments.stream().map(argument -> argument.of(event, info)).toArray();
        Object result = method.call(values);
        return method.returnsNothing() ? DispatchResult.done() : (DispatchResult) result;
    }
}
