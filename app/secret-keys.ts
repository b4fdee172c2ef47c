export { secretKeys } from "#lib/secret-keys.ts";
