/** A pair of VAPID keys, made by `web-push generate-vapid-keys` for tests only, and the public key of another pair. */
export const webPushKeys = {
  public_key:
    'BNvLP_swI0KBo3RU243SwjSA92rPAP2OhL0NbRcR7748sMhZfgk84GBioVCKKTz65NNrrIx4WiS2qxuV7YmMyyU',
  private_key: 'uvcl4jifu-_KrVD552A5C_M64aclIqfouJrvY_YjEO0',
  other_public_key:
    'BNNL5ZaTfK81qhXOx23-wewhigUeFb632jN6LvRWCFH1ubQr77FE_9qV1FuojuRmHP42zmf34rXgW80OvUVDgTk',
};
