package io.outbox.spring.boot.admin;

import io.outbox.admin.OutboxAdmin;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** The settings of the administration over HTTP. Keys that do not exist are refused. */
@ConfigurationProperties(prefix = "outbox.admin", ignoreUnknownFields = false)
public class OutboxAdminProperties {

    static final String DEFAULT_PORT = "application";
    static final String DEFAULT_ADDRESS = "127.0.0.1";
    static final String DEFAULT_READ_ROLE = "OUTBOX_READ";
    static final String DEFAULT_OPERATE_ROLE = "OUTBOX_OPERATE";

    /** Whether the outbox is administered over HTTP. */
    private boolean enabled;

    /** Where the API and the dashboard are. Dead letters are at /api/outbox-dlq in any case. */
    private String basePath = OutboxAdmin.DEFAULT_BASE_PATH;

    /**
     * Which server serves it: that of the "application", that of its "management", or the JDK's at the port given here.
     */
    private String port = DEFAULT_PORT;

    /** Where the JDK's server listens, if a port is given for it. */
    private String address = DEFAULT_ADDRESS;

    /** The token for operators, who may do everything, as in "Authorization: Bearer …". */
    private String token;

    /** The token for users who may only read. */
    private String readToken;

    /** Tokens for operators, by the name that the audit log shows. */
    private Map<String, String> tokens = new LinkedHashMap<>();

    /** Tokens for users who may only read, by the name that the audit log shows. */
    private Map<String, String> readTokens = new LinkedHashMap<>();

    /** The role of an authenticated user who may look. */
    private String readRole = DEFAULT_READ_ROLE;

    /** The role of an authenticated user who may do everything. */
    private String operateRole = DEFAULT_OPERATE_ROLE;

    /** Where a trace is shown, with {traceId} in place of its id. */
    private String traceUrl;

    /**
     * The name that operators know this node by. Default: the one under which it locks events, or that of the machine.
     */
    private String nodeName;

    /** Whether this node joins the administration of all nodes on its store: shown with them, and paused with them. */
    private boolean cluster = true;

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public String getBasePath() {
        return basePath;
    }

    public void setBasePath(String basePath) {
        this.basePath = basePath;
    }

    public String getPort() {
        return port;
    }

    public void setPort(String port) {
        this.port = port;
    }

    public String getAddress() {
        return address;
    }

    public void setAddress(String address) {
        this.address = address;
    }

    public String getToken() {
        return token;
    }

    public void setToken(String token) {
        this.token = token;
    }

    public String getReadToken() {
        return readToken;
    }

    public void setReadToken(String readToken) {
        this.readToken = readToken;
    }

    public Map<String, String> getTokens() {
        return tokens;
    }

    public void setTokens(Map<String, String> tokens) {
        this.tokens = tokens;
    }

    public Map<String, String> getReadTokens() {
        return readTokens;
    }

    public void setReadTokens(Map<String, String> readTokens) {
        this.readTokens = readTokens;
    }

    public String getReadRole() {
        return readRole;
    }

    public void setReadRole(String readRole) {
        this.readRole = readRole;
    }

    public String getOperateRole() {
        return operateRole;
    }

    public void setOperateRole(String operateRole) {
        this.operateRole = operateRole;
    }

    public String getTraceUrl() {
        return traceUrl;
    }

    public void setTraceUrl(String traceUrl) {
        this.traceUrl = traceUrl;
    }

    public String getNodeName() {
        return nodeName;
    }

    public void setNodeName(String nodeName) {
        this.nodeName = nodeName;
    }

    public boolean isCluster() {
        return cluster;
    }

    public void setCluster(boolean cluster) {
        this.cluster = cluster;
    }
}
