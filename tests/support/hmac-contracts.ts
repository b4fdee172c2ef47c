/** Contracts of `hmac` sources that between them use every way of signing and identifying that a contract can say. */

const event = { id: { path: "id" }, type: { path: "type" } };

export const HMAC_CONTRACTS: Record<string, { contract: object; secret: string }> = {
  "hex over the body alone, no time": {
    secret: 'a plain secret, it\'s $HOME `ls` "x"',
    contract: {
      version: 1,
      verification: { signature: { header: "X-Sig", prefix: "it's=" } },
      event: { ...event, account: { path: '["odd name"].id', required: true } },
    },
  },
  "base64url, time in the signature header, key in base64 behind a prefix": {
    secret: `key_${Buffer.from("a secret of the tests").toString("base64")}`,
    contract: {
      version: 1,
      verification: {
        signature: {
          header: "X-Sig",
          algorithm: "sha512",
          encoding: "base64url",
          prefix: "v1=",
          separator: ",",
        },
        secret: { encoding: "base64", prefix: "key_" },
        signedContent: "{timestamp}:{body}",
        timestamp: { kind: "per-attempt", from: { signaturePart: "t=" }, unit: "ms" },
      },
      event: {
        ...event,
        mode: { path: "meta.live", live: ["yes"], test: ["no"] },
        subject: "data.items[0].id",
      },
    },
  },
  "base64, ISO time in the body, key in hex": {
    secret: "00112233445566778899aabbccddeeff",
    contract: {
      version: 1,
      verification: {
        signature: { header: "X-Sig", algorithm: "sha384", encoding: "base64" },
        secret: { encoding: "hex" },
        timestamp: { kind: "per-attempt", from: { path: "sent.at" }, unit: "iso" },
      },
      event,
    },
  },
  "signed id and unsigned type in headers": {
    secret: "another plain secret",
    contract: {
      version: 1,
      verification: {
        signature: { header: "X-Sig" },
        signedContent: "v0:{id}:{timestamp}:{body}",
        timestamp: { kind: "per-attempt", from: { header: "X-Time" }, unit: "s" },
      },
      event: { id: { header: "X-Id", signed: true }, type: { header: "X-Type" } },
      types: {
        "order.paid": {
          meaning: "An order was paid.",
          effect: "initial-credit-grant",
          requires: ["order.id"],
        },
        "order.seen": { meaning: "An order was looked at.", requires: ["order.id", "order"] },
      },
    },
  },
  "unsigned id in a header, seconds in the body": {
    secret: "yet another plain secret",
    contract: {
      version: 1,
      verification: {
        signature: { header: "X-Sig" },
        timestamp: { kind: "per-attempt", from: { path: "at" }, unit: "s" },
      },
      event: { id: { header: "X-Id", signed: false }, type: { value: "only.one" } },
    },
  },
};
