package io.outbox.spring.boot.actuator;

import io.outbox.spring.boot.actuator.OutboxEndpoint.Action;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * The actions of {@link OutboxEndpoint} over HTTP. A request that is refused gets the reason as its answer, which
 * Spring Boot would leave out.
 */
@EndpointWebExtension(endpoint = OutboxEndpoint.class)
final class OutboxEndpointWebExtension {

    private final OutboxEndpoint endpoint;

    OutboxEndpointWebExtension(OutboxEndpoint endpoint) {
        this.endpoint = Objects.requireNonNull(endpoint, "endpoint");
    }

    /** Pauses or resumes the delivery of all outboxes and returns their state. */
    @WriteOperation
    public WebEndpointResponse<Object> changeAll(@Selector String action) {
        return answer(action, endpoint::changeAll);
    }

    /**
     * Pauses or resumes the delivery of one outbox, or replays the DEAD events of one type, and returns the state of
     * all.
     */
    @WriteOperation
    public WebEndpointResponse<Object> change(@Selector String action, @Selector String name) {
        return answer(action, known -> endpoint.change(known, name));
    }

    private static WebEndpointResponse<Object> answer(String action, Function<Action, Object> change) {
        Optional<Action> known = Arrays.stream(Action.values())
                .filter(candidate -> candidate.name().equalsIgnoreCase(action))
                .findFirst();
        if (known.isEmpty()) {
            return refusal("There is no action '" + action + "', only " + actions());
        }
        try {
            return new WebEndpointResponse<>(change.apply(known.get()));
        } catch (InvalidEndpointRequestException e) {
            return refusal(e.getMessage());
        }
    }

    private static List<String> actions() {
        return Arrays.stream(Action.values())
                .map(action -> action.name().toLowerCase(Locale.ROOT))
                .toList();
    }

    private static WebEndpointResponse<Object> refusal(String reason) {
        int status = WebEndpointResponse.STATUS_BAD_REQUEST;
        return new WebEndpointResponse<>(Map.of("status", status, "error", "Bad Request", "message", reason), status);
    }
}
