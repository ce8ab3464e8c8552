package io.outbox.jdbc.store;

import io.outbox.jdbc.OutboxStoreException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** The stores on the class path, found by {@link ServiceLoader}, and the choice of the right one for a database. */
public final class JdbcOutboxStores {

    /** Ours, whatever thread asks first, and those that the class loader of that thread adds. */
    private static final List<AbstractJdbcOutboxStore> STORES = Stream.of(
                    AbstractJdbcOutboxStore.class.getClassLoader(),
                    Thread.currentThread().getContextClassLoader())
            .flatMap(loader -> ServiceLoader.load(AbstractJdbcOutboxStore.class, loader).stream())
            .collect(Collectors.toMap(
                    ServiceLoader.Provider::type,
                    ServiceLoader.Provider::get,
                    (first, same) -> first,
                    LinkedHashMap::new))
            .values()
            .stream()
            .toList();

    private JdbcOutboxStores() {}

    /** Returns all stores, each for the default table. */
    public static List<AbstractJdbcOutboxStore> all() {
        return STORES;
    }

    /** Returns the store with this {@linkplain AbstractJdbcOutboxStore#name() name}. */
    public static AbstractJdbcOutboxStore get(String name) {
        Objects.requireNonNull(name, "name");
        return byName(name).orElseThrow(() -> unknown("named '" + name + "'"));
    }

    /** Returns the store for the database behind the data source; connects to find out. */
    public static AbstractJdbcOutboxStore detect(DataSource dataSource) {
        Objects.requireNonNull(dataSource, "dataSource");
        try (Connection conn = dataSource.getConnection()) {
            DatabaseMetaData metaData = conn.getMetaData();
            String product = lowerCase(metaData.getDatabaseProductName());
            if (lowerCase(metaData.getDatabaseProductVersion()).contains("tidb")) {
                return get("tidb");
            }
            if (product.contains("mariadb")) {
                return get("mariadb");
            }
            String url = lowerCase(metaData.getURL());
            return byUrl(url)
                    .or(() -> byName(product))
                    .orElseThrow(() -> unknown("for " + (product.isEmpty() ? "a database" : product) + " at a URL "
                            + withoutDetails(url)));
        } catch (SQLException e) {
            throw new OutboxStoreException("Cannot connect to find out which database this is: " + e.getMessage(), e);
        }
    }

    /** A driver, or a pool in front of it, may not tell. */
    private static String lowerCase(String text) {
        return text == null ? "" : text.toLowerCase(Locale.ROOT);
    }

    /** Returns the store for a JDBC URL. */
    public static AbstractJdbcOutboxStore detect(String jdbcUrl) {
        Objects.requireNonNull(jdbcUrl, "jdbcUrl");
        String url = lowerCase(jdbcUrl);
        return byUrl(url).orElseThrow(() -> unknown("for a URL " + withoutDetails(url)));
    }

    private static Optional<AbstractJdbcOutboxStore> byUrl(String url) {
        return STORES.stream()
                .filter(store -> store.jdbcUrlPrefixes().stream().anyMatch(url::startsWith))
                .findFirst();
    }

    private static Optional<AbstractJdbcOutboxStore> byName(String name) {
        return STORES.stream()
                .filter(store -> store.name().equalsIgnoreCase(name))
                .findFirst();
    }

    /** Returns what can be shown of a URL, which may contain credentials. */
    private static String withoutDetails(String url) {
        return url.matches("jdbc:[a-z0-9]+:.*")
                ? url.replaceAll("^(jdbc:[a-z0-9]+:).*$", "that begins with $1")
                : "that does not begin with jdbc:";
    }

    private static IllegalArgumentException unknown(String what) {
        return new IllegalArgumentException("No outbox store " + what + "; supported are "
                + STORES.stream().map(AbstractJdbcOutboxStore::name).sorted().toList()
                + ". For another database extend AbstractJdbcOutboxStore and register it in META-INF/services/"
                + AbstractJdbcOutboxStore.class.getName());
    }
}
