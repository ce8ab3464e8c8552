package io.outbox.testservers;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;

/**
 * A copy of a PostgreSQL server that goes on working meanwhile, from which a standby can begin. The programs that
 * usually do this are not among those that the build has; the server's own functions are enough.
 */
final class PostgresBackup extends SimpleFileVisitor<Path> {

    /** Directories of which only the names belong into a copy: the standby gets the log from the primary. */
    private static final Set<String> EMPTY = Set.of("pg_wal", "pg_replslot", "pg_dynshmem", "pg_notify", "pg_stat_tmp");

    private static final Set<String> LEFT_OUT = Set.of("postmaster.pid", "postmaster.opts", "standby.signal");

    /** The version in which the functions got other names. */
    private static final int RENAMED_IN = 15;

    private final Path from;
    private final Path to;

    private PostgresBackup(Path from, Path to) {
        this.from = from;
        this.to = to;
    }

    /** Copies the data directory of a server that runs. */
    static void of(String adminUrl, Path from, Path to) throws IOException {
        try (Connection connection = DriverManager.getConnection(adminUrl);
                Statement statement = connection.createStatement()) {
            boolean isRenamed = connection.getMetaData().getDatabaseMajorVersion() >= RENAMED_IN;
            statement.execute(
                    isRenamed
                            ? "SELECT pg_backup_start('standby', true)"
                            : "SELECT pg_start_backup('standby', true, false)");
            Files.walkFileTree(from, new PostgresBackup(from, to));
            String stop = isRenamed ? "pg_backup_stop" : "pg_stop_backup";
            try (ResultSet row = statement.executeQuery("SELECT labelfile FROM " + stop + "(false)")) {
                row.next();
                Files.writeString(to.resolve("backup_label"), row.getString(1));
            }
        } catch (SQLException e) {
            throw new IOException("The server cannot be copied: " + e.getMessage(), e);
        }
    }

    @Override
    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) throws IOException {
        Files.createDirectory(
                to.resolve(from.relativize(directory)),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
        Path name = from.relativize(file);
        if (!LEFT_OUT.contains(name.toString())
                && !EMPTY.contains(name.getName(0).toString())) {
            try {
                Files.copy(file, to.resolve(name));
            } catch (NoSuchFileException e) {
                return FileVisitResult.CONTINUE; // the server has just deleted it
            }
        }
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
        if (e instanceof NoSuchFileException) {
            return FileVisitResult.CONTINUE;
        }
        throw e;
    }
}
