// A target with precompiled headers must have a source.
