-- The PEM text of a certificate is stored as DER, which is smaller, where the same text can be made of it.
-- Texts from before stay in pem_content until they are written again.

-- Bytes of the text; NULL if it is in pem_content.
ALTER TABLE certificate_texts ADD COLUMN pem_bytes INTEGER;
ALTER TABLE certificate_texts ADD COLUMN pem_packed BLOB;
