package io.outbox.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Method;
import com.rabbitmq.client.ShutdownSignalException;
import io.outbox.RecoverableException;
import io.outbox.RouteUnavailableException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CloseReasonTest {

    @ParameterizedTest
    @ValueSource(
            ints = {
                AMQP.CONNECTION_FORCED,
                AMQP.INTERNAL_ERROR,
                AMQP.RESOURCE_ERROR,
                AMQP.ACCESS_REFUSED,
                AMQP.NOT_ALLOWED
            })
    void aConnectionThatIsClosedForNoMessageIsAnOutage(int code) {
        CloseReason closure = closure(connectionClose(code));

        assertThat(closure.isConnectionLost()).isTrue();
        assertThat(closure.failure("orders"))
                .isInstanceOf(RouteUnavailableException.class)
                .hasMessageContaining(code + " the words");
    }

    @ParameterizedTest
    @ValueSource(ints = {AMQP.FRAME_ERROR, AMQP.SYNTAX_ERROR, AMQP.NOT_IMPLEMENTED})
    void aConnectionThatIsClosedOverWhatWasSentIsNot(int code) {
        CloseReason closure = closure(connectionClose(code));

        assertThat(closure.isConnectionLost()).isFalse();
        assertThat(closure.failure("orders"))
                .isInstanceOf(RecoverableException.class)
                .isNotInstanceOf(RouteUnavailableException.class);
    }

    @Test
    void aMissingRightToAnExchangeClosesItsChannelAndConcernsTheRoute() {
        CloseReason closure = closure(new AMQP.Channel.Close.Builder()
                .replyCode(AMQP.ACCESS_REFUSED)
                .replyText("the words")
                .build());

        assertThat(closure.isConnectionLost()).isFalse();
        assertThat(closure.isAboutTheRoute()).isTrue();
    }

    private static Method connectionClose(int code) {
        return new AMQP.Connection.Close.Builder()
                .replyCode(code)
                .replyText("the words")
                .build();
    }

    private static CloseReason closure(Method reason) {
        return CloseReason.of(new ShutdownSignalException(true, false, reason, null));
    }
}
