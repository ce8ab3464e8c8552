package io.outbox.docs;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

/**
 * The dependencies that a piece of a pom names.
 *
 * @param direct those that are on the class path
 * @param managed those below {@code dependencyManagement}
 */
record Dependencies(Set<Artifact> direct, Set<Artifact> managed) {

    /** A dependency; what it does not say is empty. */
    record Artifact(String group, String name, String version, String scope) {}

    static Dependencies ofPom(Path pom) {
        try {
            return of(Files.readString(pom).replaceFirst("<\\?xml.*\\?>", ""));
        } catch (IOException e) {
            throw new IllegalStateException("Cannot read " + pom, e);
        }
    }

    /** Reads XML without its declaration, and with any number of elements at the top. */
    static Dependencies of(String xml) {
        Dependencies dependencies = new Dependencies(new HashSet<>(), new HashSet<>());
        NodeList elements = parse("<snippet>" + xml + "</snippet>").getElementsByTagName("dependency");
        for (int i = 0; i < elements.getLength(); i++) {
            Element element = (Element) elements.item(i);
            (isManaged(element) ? dependencies.managed : dependencies.direct)
                    .add(new Artifact(
                            child(element, "groupId"),
                            child(element, "artifactId"),
                            child(element, "version"),
                            child(element, "scope")));
        }
        return dependencies;
    }

    private static Document parse(String xml) {
        try {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new InputSource(new StringReader(xml)));
        } catch (SAXException e) {
            throw new IllegalArgumentException("Not well-formed: " + e.getMessage(), e);
        } catch (ParserConfigurationException | IOException e) {
            throw new IllegalStateException("Cannot parse XML", e);
        }
    }

    private static boolean isManaged(Node node) {
        return node != null && (node.getNodeName().equals("dependencyManagement") || isManaged(node.getParentNode()));
    }

    private static String child(Element element, String name) {
        NodeList children = element.getElementsByTagName(name);
        return children.getLength() == 0
                ? ""
                : children.item(0).getTextContent().strip();
    }
}
