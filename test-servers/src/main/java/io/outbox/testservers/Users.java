package io.outbox.testservers;

/** The user this JVM runs as. */
final class Users {

    private Users() {}

    static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }
}
