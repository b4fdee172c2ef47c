/** Id of the built-in source that corrections by hand belong to. It has no adapter: nobody can send to it. */
export const MANUAL_SOURCE = "manual";
