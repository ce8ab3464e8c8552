package io.outbox.testservers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A key of a server for {@code localhost} and a certificate that it signed itself, made by the JDK's {@code keytool}
 * into a directory of the caller's; clients that trust the certificate trust nobody else.
 */
public final class Certificates {

    /** The password of both stores and of the key. */
    public static final String PASSWORD = "not-a-secret";

    private static final String ALIAS = "server";
    private static final int LINE = 64;

    private final Path directory;

    private Certificates(Path directory) {
        this.directory = directory;
    }

    /** Makes key and certificate. */
    public static Certificates create(Path directory) {
        Certificates made = new Certificates(directory);
        made.keytool(
                "-genkeypair",
                "-keyalg",
                "RSA",
                "-keysize",
                "2048",
                "-validity",
                "2",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=dns:localhost,ip:127.0.0.1",
                "-storetype",
                "PKCS12");
        try {
            Files.writeString(
                    made.certificate(),
                    pem("CERTIFICATE", made.keyStore().getCertificate(ALIAS).getEncoded()));
            Key key = made.keyStore().getKey(ALIAS, PASSWORD.toCharArray());
            Files.writeString(made.key(), pem("PRIVATE KEY", key.getEncoded()));
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry(ALIAS, made.keyStore().getCertificate(ALIAS));
            try (var out = Files.newOutputStream(made.trustStoreFile())) {
                trusted.store(out, PASSWORD.toCharArray());
            }
            return made;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private void keytool(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of(arguments));
        command.addAll(List.of("-alias", ALIAS, "-keystore", keyStoreFile().toString(), "-storepass", PASSWORD));
        try {
            ServerCache.run(command, InputStream.nullInputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private KeyStore keyStore() throws IOException, GeneralSecurityException {
        return load(keyStoreFile());
    }

    private static KeyStore load(Path file) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        return store;
    }

    private static String pem(String kind, byte[] content) {
        String text = Base64.getMimeEncoder(LINE, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(content);
        return "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n";
    }

    /** The server's key and certificate, PKCS12. */
    public Path keyStoreFile() {
        return directory.resolve("server.p12");
    }

    /** What clients trust, PKCS12. */
    public Path trustStoreFile() {
        return directory.resolve("trusted.p12");
    }

    /** The certificate, PEM. */
    public Path certificate() {
        return directory.resolve("server.pem");
    }

    /** The key, PEM. */
    public Path key() {
        return directory.resolve("server-key.pem");
    }

    /** A context of clients that trust the certificate. */
    public SSLContext clientContext() {
        try {
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(load(trustStoreFile()));
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
