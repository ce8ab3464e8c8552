package kotlin.coroutines;

/** The last parameter of a suspend function, in place of Kotlin's own. */
public interface Continuation<T> {}
