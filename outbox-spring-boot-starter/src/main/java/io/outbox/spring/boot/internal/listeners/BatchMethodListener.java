package io.outbox.spring.boot.internal.listeners;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DeliveryInfo;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * A method of a bean that takes several events.
 *
 * <p>An event whose payload cannot be read is left out of the call and fails alone; the others are not to blame.
 */
record BatchMethodListener(BeanMethod method, List<ListenerArgument> arguments) implements BatchEventListener.Informed {

    @Override
    public List<BatchOutcome> onEvents(List<EventEnvelope> events, List<DeliveryInfo> infos) throws Exception {
        BatchOutcome[] outcomes = new BatchOutcome[events.size()];
        List<Integer> readable = new ArrayList<>();
        List<List<Object>> values = arguments.stream()
                .map(argument -> (List<Object>) new ArrayList<>())
                .toList();
        for (int i = 0; i < outcomes.length; i++) {
            try {
                List<Object> ofEvent = valuesOf(events.get(i), infos.get(i));
                for (int a = 0; a < ofEvent.size(); a++) {
                    values.get(a).add(ofEvent.get(a));
                }
                readable.add(i);
            } catch (RuntimeException e) {
                outcomes[i] = BatchOutcome.failed(e);
            }
        }
        if (!readable.isEmpty()) {
            List<BatchOutcome> told = outcomes(method.call(values.toArray()), readable.size());
            for (int i = 0; i < told.size(); i++) {
                outcomes[readable.get(i)] = told.get(i);
            }
        }
        return List.of(outcomes);
    }

    private List<Object> valuesOf(EventEnvelope event, DeliveryInfo info) {
        List<Object> values = new ArrayList<>(arguments.size());
        arguments.forEach(argument -> values.add(argument.of(event, info)));
        return values;
    }

    private List<BatchOutcome> outcomes(Object returned, int events) {
        if (method.returnsNothing()) {
            return Collections.nCopies(events, BatchOutcome.done());
        }
        if (!(returned instanceof List<?> list)
                || list.size() != events
                || list.stream().anyMatch(Objects::isNull)) {
            throw new IllegalStateException("A batch listener must return one outcome for each of its " + events
                    + " events, but " + method + " returned "
                    + (returned instanceof List<?> other ? other.size() + ", or null among them" : "null"));
        }
        return list.stream()
                .map(each -> each instanceof BatchOutcome outcome ? outcome : BatchOutcome.of((DispatchResult) each))
                .toList();
    }
}
