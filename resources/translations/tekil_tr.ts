<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="tr" sourcelanguage="en">
    <context>
        <name>Overview</name>
        <message>
            <source>peak %1</source>
            <comment>the most in one second of the last minute</comment>
            <translation>en çok %1</translation>
        </message>
        <message>
            <source>since %1</source>
            <translation>%1 saatinden beri</translation>
        </message>
        <message>
            <source>nothing is held</source>
            <translation>bloke yok</translation>
        </message>
        <message>
            <source>%1 held</source>
            <translation>%1 bloke</translation>
        </message>
        <message>
            <source>/s</source>
            <comment>a second</comment>
            <translation>/sn</translation>
        </message>
        <message>
            <source>/min</source>
            <comment>a minute</comment>
            <translation>/dk</translation>
        </message>
        <message>
            <source>%1 +%2</source>
            <comment>money, and how many more currencies</comment>
            <translation>%1 +%2</translation>
        </message>
        <message>
            <source>Payments</source>
            <translation>Ödemeler</translation>
        </message>
        <message>
            <source>Completed</source>
            <translation>Tamamlanan</translation>
        </message>
        <message>
            <source>Failed</source>
            <translation>Başarısız</translation>
        </message>
        <message>
            <source>Oldest processing</source>
            <translation>En eski işlenen</translation>
        </message>
        <message numerus="yes">
            <source>%n payments</source>
            <translation>
                <numerusform>%n ödeme</numerusform>
            </translation>
        </message>
        <message>
            <source>Unknown</source>
            <translation>Belirsiz</translation>
        </message>
        <message>
            <source>until there is proof</source>
            <translation>kanıt gelene kadar</translation>
        </message>
        <message>
            <source>Oldest unknown</source>
            <translation>En eski belirsiz</translation>
        </message>
        <message>
            <source>every outcome is known</source>
            <translation>her sonuç biliniyor</translation>
        </message>
        <message>
            <source>oldest %1</source>
            <translation>en eskisi %1</translation>
        </message>
        <message>
            <source>reservation finalized</source>
            <translation>bloke kesinleşti</translation>
        </message>
        <message>
            <source>in all</source>
            <translation>toplam</translation>
        </message>
        <message>
            <source>reservation released</source>
            <translation>bloke kaldırıldı</translation>
        </message>
        <message>
            <source>Books not checked</source>
            <translation>Defterler denetlenmedi</translation>
        </message>
        <message>
            <source>Books balance</source>
            <translation>Defterler tutuyor</translation>
        </message>
        <message>
            <source>Books do not balance</source>
            <translation>Defterler tutmuyor</translation>
        </message>
        <message>
            <source>Books not checked now</source>
            <translation>Defterler şu an denetlenmiyor</translation>
        </message>
        <message>
            <source>an engine checks them every 10 s; none has yet</source>
            <translation>bir motor 10 saniyede bir denetler; henüz denetleyen olmadı</translation>
        </message>
        <message>
            <source>checked %1, %2 ago</source>
            <translation>denetim %1, %2 önce</translation>
        </message>
        <message>
            <source>%1: no engine checks</source>
            <translation>%1: denetleyen motor yok</translation>
        </message>
        <message>
            <source>%1 accounts, %2 entries in %3</source>
            <translation>%1 hesap, %2 kayıt, %3</translation>
        </message>
        <message>
            <source>Account %1</source>
            <translation>Hesap %1</translation>
        </message>
        <message>
            <source>Reserved on account %1</source>
            <translation>Hesap %1 bloke tutarı</translation>
        </message>
        <message>
            <source>Transaction %1</source>
            <translation>İşlem %1</translation>
        </message>
        <message>
            <source>runs</source>
            <translation>çalışıyor</translation>
        </message>
        <message>
            <source>drains</source>
            <translation>boşalıyor</translation>
        </message>
        <message>
            <source>silent</source>
            <translation>sessiz</translation>
        </message>
        <message>
            <source>stopped</source>
            <translation>durdu</translation>
        </message>
        <message>
            <source>%1 ago</source>
            <translation>%1 önce</translation>
        </message>
        <message>
            <source>for %1</source>
            <translation>%1</translation>
        </message>
    </context>
    <context>
        <name>PaymentColumns</name>
        <message>
            <source>State</source>
            <translation>Durum</translation>
        </message>
        <message>
            <source>Payment</source>
            <translation>Ödeme</translation>
        </message>
        <message>
            <source>Amount</source>
            <translation>Tutar</translation>
        </message>
        <message>
            <source>Created</source>
            <translation>Oluşturma</translation>
        </message>
        <message>
            <source>Invoice</source>
            <translation>Fatura</translation>
        </message>
        <message>
            <source>Key</source>
            <translation>Anahtar</translation>
        </message>
        <message>
            <source>Merchant</source>
            <translation>İşyeri</translation>
        </message>
        <message>
            <source>Customer</source>
            <translation>Müşteri</translation>
        </message>
        <message>
            <source>Provider</source>
            <translation>Sağlayıcı</translation>
        </message>
        <message>
            <source>Account</source>
            <translation>Hesap</translation>
        </message>
        <message>
            <source>Type</source>
            <translation>Tür</translation>
        </message>
    </context>
    <context>
        <name>PaymentWords</name>
        <message>
            <source>No answer came after the request was sent</source>
            <translation>İstek gönderildikten sonra yanıt gelmedi</translation>
        </message>
        <message>
            <source>The provider's answer could not be read</source>
            <translation>Sağlayıcının yanıtı okunamadı</translation>
        </message>
        <message>
            <source>The provider says another amount than was asked for</source>
            <translation>Sağlayıcı istenenden başka bir tutar bildiriyor</translation>
        </message>
        <message>
            <source>The provider answered for another operation</source>
            <translation>Sağlayıcı başka bir işlem için yanıt verdi</translation>
        </message>
        <message>
            <source>The provider is still working on it</source>
            <translation>Sağlayıcı hâlâ üzerinde çalışıyor</translation>
        </message>
        <message>
            <source>It could not be sent before its deadline</source>
            <translation>Son gönderme anından önce gönderilemedi</translation>
        </message>
        <message>
            <source>Its deadline for sending has passed</source>
            <translation>Son gönderme anı geçti</translation>
        </message>
        <message>
            <source>The account has too little money</source>
            <translation>Hesapta yeterli para yok</translation>
        </message>
        <message>
            <source>The account is closed</source>
            <translation>Hesap kapalı</translation>
        </message>
        <message>
            <source>The provider declined it</source>
            <translation>Sağlayıcı reddetti</translation>
        </message>
        <message>
            <source>there is a payment for this invoice already</source>
            <translation>bu fatura için zaten bir ödeme var</translation>
        </message>
        <message>
            <source>The provider answered with HTTP status %1</source>
            <translation>Sağlayıcı HTTP %1 durumuyla yanıt verdi</translation>
        </message>
        <message>
            <source>Declined with the code %1</source>
            <translation>%1 koduyla reddedildi</translation>
        </message>
        <message>
            <source>%1 captured it</source>
            <comment>the provider's name</comment>
            <translation>%1 tahsil etti</translation>
        </message>
        <message>
            <source>%1 declined it</source>
            <comment>the provider's name</comment>
            <translation>%1 reddetti</translation>
        </message>
        <message>
            <source>%1 answered: no proof</source>
            <comment>the provider's name</comment>
            <translation>%1 yanıt verdi: kanıt yok</translation>
        </message>
        <message>
            <source>%1×</source>
            <comment>how often</comment>
            <translation>%1×</translation>
        </message>
        <message>
            <source>Claimed by %1</source>
            <comment>an engine's name</comment>
            <translation>%1 üstlendi</translation>
        </message>
        <message>
            <source>an engine</source>
            <translation>bir motor</translation>
        </message>
        <message>
            <source>key %1</source>
            <translation>anahtar %1</translation>
        </message>
        <message>
            <source>Accepted, %1 reserved</source>
            <translation>Kabul edildi, %1 bloke edildi</translation>
        </message>
        <message>
            <source>Declined: %1</source>
            <translation>Reddedildi: %1</translation>
        </message>
        <message>
            <source>Sent to %1, attempt %2</source>
            <translation>%1 sağlayıcısına gönderildi, deneme %2</translation>
        </message>
        <message>
            <source>Not sent: no connection to the provider</source>
            <translation>Gönderilmedi: sağlayıcıya bağlantı yok</translation>
        </message>
        <message>
            <source>No answer</source>
            <translation>Yanıt yok</translation>
        </message>
        <message>
            <source>%1 went on with it</source>
            <comment>an engine's name</comment>
            <translation>%1 işi sürdürdü</translation>
        </message>
        <message>
            <source>Another engine</source>
            <translation>Başka bir motor</translation>
        </message>
        <message>
            <source>%1 found that another engine had gone on</source>
            <translation>%1 başka bir motorun sürdürdüğünü gördü</translation>
        </message>
        <message>
            <source>An engine</source>
            <translation>Bir motor</translation>
        </message>
        <message>
            <source>Asked %1</source>
            <comment>the provider's name</comment>
            <translation>%1 sağlayıcısına soruldu</translation>
        </message>
        <message>
            <source>Same request again, answered 409</source>
            <translation>Aynı istek yine geldi, 409 yanıtı verildi</translation>
        </message>
        <message>
            <source>Another request with this key, refused with 422</source>
            <translation>Bu anahtarla başka bir istek, 422 ile geri çevrildi</translation>
        </message>
        <message>
            <source>Same request again, stored answer given</source>
            <translation>Aynı istek yine geldi, saklı yanıt verildi</translation>
        </message>
        <message>
            <source>Refused: %1</source>
            <translation>Geri çevrildi: %1</translation>
        </message>
        <message>
            <source>%1: %2</source>
            <comment>what happened: the state it led to</comment>
            <translation>%1: %2</translation>
        </message>
        <message>
            <source>Stopped: the search took longer than 5 s.</source>
            <translation>Durduruldu: arama 5 sn'den uzun sürdü.</translation>
        </message>
        <message>
            <source>Nothing was changed. Narrow the filter, or try again.</source>
            <translation>Hiçbir şey değişmedi. Süzgeci daraltın ya da yeniden deneyin.</translation>
        </message>
        <message>
            <source>Your role may not read this.</source>
            <translation>Rolünüz bunu okuyamaz.</translation>
        </message>
        <message>
            <source>Ask an admin to look at your role.</source>
            <translation>Bir yöneticiden rolünüze bakmasını isteyin.</translation>
        </message>
        <message>
            <source>The connection was lost while reading.</source>
            <translation>Okurken bağlantı kesildi.</translation>
        </message>
        <message>
            <source>Nothing was changed. It is read again when the connection is back.</source>
            <translation>Hiçbir şey değişmedi. Bağlantı gelince yeniden okunur.</translation>
        </message>
        <message>
            <source>The database could not answer.</source>
            <translation>Veritabanı yanıt veremedi.</translation>
        </message>
        <message>
            <source>Nothing was changed. It said: %1</source>
            <translation>Hiçbir şey değişmedi. Söylediği: %1</translation>
        </message>
        <message>
            <source> (character %1)</source>
            <translation> (%1. karakter)</translation>
        </message>
        <message>
            <source> Did you mean %1?</source>
            <translation> %1 mi demek istediniz?</translation>
        </message>
        <message>
            <source>“%1” is not a field.</source>
            <translation>“%1” bir alan değil.</translation>
        </message>
        <message>
            <source>“%1” is not a state.</source>
            <translation>“%1” bir durum değil.</translation>
        </message>
        <message>
            <source>“%1” is not an amount; write it like 1000.50.</source>
            <translation>“%1” bir tutar değil; 1000.50 gibi yazın.</translation>
        </message>
        <message>
            <source>“%1” is not a day; write today, yesterday or 2026-03-05.</source>
            <translation>“%1” bir gün değil; today, yesterday ya da 2026-03-05 yazın.</translation>
        </message>
        <message>
            <source>“%1” is not an account; write 101 or 101..199.</source>
            <translation>“%1” bir hesap değil; 101 ya da 101..199 yazın.</translation>
        </message>
        <message>
            <source>“%1” is not a whole operation id.</source>
            <translation>“%1” tam bir işlem kimliği değil.</translation>
        </message>
        <message>
            <source>“%1” says again what another word says.</source>
            <translation>“%1” başka bir sözcüğün dediğini yineliyor.</translation>
        </message>
        <message>
            <source>“%1:” wants a value after the colon.</source>
            <translation>“%1:” iki noktadan sonra bir değer ister.</translation>
        </message>
        <message>
            <source>A quotation mark is not closed.</source>
            <translation>Bir tırnak işareti kapanmamış.</translation>
        </message>
        <message>
            <source>No answer within %1 after the request was sent</source>
            <translation>İstek gönderildikten sonra %1 içinde yanıt gelmedi</translation>
        </message>
        <message>
            <source>The provider's answer proves nothing (%1)</source>
            <translation>Sağlayıcının yanıtı bir şey kanıtlamıyor (%1)</translation>
        </message>
        <message>
            <source>under way</source>
            <translation>sürüyor</translation>
        </message>
        <message>
            <source>not sent</source>
            <translation>gönderilmedi</translation>
        </message>
        <message>
            <source>no answer</source>
            <translation>yanıt yok</translation>
        </message>
        <message>
            <source>answered with HTTP %1</source>
            <translation>HTTP %1 ile yanıtlandı</translation>
        </message>
        <message>
            <source>answered</source>
            <translation>yanıtlandı</translation>
        </message>
        <message>
            <source>Why unknown</source>
            <translation>Neden belirsiz</translation>
        </message>
        <message>
            <source>sent after the time to send it by</source>
            <translation>gönderilmesi gereken süreden sonra gönderildi</translation>
        </message>
        <message>
            <source>the provider charged another amount</source>
            <translation>sağlayıcı başka bir tutar tahsil etti</translation>
        </message>
        <message>
            <source>charged by the provider after it had failed</source>
            <translation>başarısız sayıldıktan sonra sağlayıcı tahsil etti</translation>
        </message>
        <message>
            <source>declined by the provider after it had completed</source>
            <translation>tamamlandıktan sonra sağlayıcı reddetti</translation>
        </message>
        <message>
            <source>the provider's answer could not be booked</source>
            <translation>sağlayıcının yanıtı deftere işlenemedi</translation>
        </message>
        <message>
            <source>the provider tells a second charge</source>
            <translation>sağlayıcı ikinci bir tahsilat bildiriyor</translation>
        </message>
        <message>
            <source>Case</source>
            <translation>Vaka</translation>
        </message>
        <message>
            <source>%1 gave it back unsent</source>
            <comment>an engine's name</comment>
            <translation>%1 göndermeden geri verdi</translation>
        </message>
        <message>
            <source>Written again after the database had lost it</source>
            <translation>Veritabanı kaybettikten sonra yeniden yazıldı</translation>
        </message>
        <message>
            <source>Still holds</source>
            <translation>Hâlâ geçerli</translation>
        </message>
        <message>
            <source>the reservation, until there is proof</source>
            <translation>bloke, kanıt gelene kadar</translation>
        </message>
        <message>
            <source>Ends with</source>
            <translation>Bitiren</translation>
        </message>
        <message>
            <source>the provider's answer, settlement, or two people</source>
            <translation>sağlayıcının yanıtı, mutabakat ya da iki kişi</translation>
        </message>
        <message>
            <source>Why failed</source>
            <translation>Neden başarısız</translation>
        </message>
        <message>
            <source>Decline code</source>
            <translation>Ret kodu</translation>
        </message>
        <message>
            <source>Provider</source>
            <translation>Sağlayıcı</translation>
        </message>
        <message>
            <source>Reference</source>
            <translation>Referans</translation>
        </message>
        <message>
            <source>Key</source>
            <translation>Anahtar</translation>
        </message>
        <message>
            <source>Accounts</source>
            <translation>Hesaplar</translation>
        </message>
        <message>
            <source>from %1 to %2</source>
            <translation>%1 hesabından %2 hesabına</translation>
        </message>
        <message>
            <source>Ended</source>
            <translation>Bitiş</translation>
        </message>
        <message>
            <source>Merchant</source>
            <translation>İşyeri</translation>
        </message>
        <message>
            <source>Invoice</source>
            <translation>Fatura</translation>
        </message>
        <message>
            <source>Amount</source>
            <translation>Tutar</translation>
        </message>
        <message>
            <source>Account</source>
            <translation>Hesap</translation>
        </message>
        <message>
            <source>Type</source>
            <translation>Tür</translation>
        </message>
        <message>
            <source>Customer</source>
            <translation>Müşteri</translation>
        </message>
        <message>
            <source>Description</source>
            <translation>Açıklama</translation>
        </message>
        <message>
            <source>First seen</source>
            <translation>İlk görülme</translation>
        </message>
        <message>
            <source>Key's record</source>
            <translation>Anahtar kaydı</translation>
        </message>
        <message>
            <source>past its retention</source>
            <translation>saklama süresi doldu</translation>
        </message>
        <message>
            <source>Key ends</source>
            <translation>Anahtarın sonu</translation>
        </message>
        <message>
            <source>Fingerprint</source>
            <translation>Parmak izi</translation>
        </message>
        <message>
            <source>Repeats get</source>
            <translation>Tekrarlar alır</translation>
        </message>
        <message>
            <source>the stored answer, HTTP %1</source>
            <translation>saklı yanıt, HTTP %1</translation>
        </message>
        <message>
            <source>409, until it has ended</source>
            <translation>409, bitene kadar</translation>
        </message>
        <message>
            <source>Attempts</source>
            <translation>Denemeler</translation>
        </message>
        <message>
            <source>Inquiries</source>
            <translation>Sorgular</translation>
        </message>
        <message>
            <source>Repeats</source>
            <translation>Tekrarlar</translation>
        </message>
        <message>
            <source>Earlier claim of this key: %1</source>
            <translation>Bu anahtarın önceki üstlenilmesi: %1</translation>
        </message>
        <message>
            <source>Payment %1</source>
            <translation>Ödeme %1</translation>
        </message>
        <message>
            <source>State: %1, since %2</source>
            <translation>Durum: %1, %2 anından beri</translation>
        </message>
        <message>
            <source>Amount: %1</source>
            <translation>Tutar: %1</translation>
        </message>
        <message>
            <source>Invoice: %1</source>
            <translation>Fatura: %1</translation>
        </message>
        <message>
            <source>Merchant: %1, key %2</source>
            <translation>İşyeri: %1, anahtar %2</translation>
        </message>
        <message>
            <source>Created: %1</source>
            <translation>Oluşturma: %1</translation>
        </message>
        <message>
            <source>Provider: %1, reference %2</source>
            <translation>Sağlayıcı: %1, referans %2</translation>
        </message>
        <message>
            <source>Attempts: %1</source>
            <translation>Denemeler: %1</translation>
        </message>
        <message>
            <source>Why unknown: %1</source>
            <translation>Neden belirsiz: %1</translation>
        </message>
        <message>
            <source>Why failed: %1</source>
            <translation>Neden başarısız: %1</translation>
        </message>
        <message>
            <source>Reservation: %1</source>
            <translation>Bloke: %1</translation>
        </message>
    </context>
    <context>
        <name>Roles</name>
        <message>
            <source>Support</source>
            <translation>Destek</translation>
        </message>
        <message>
            <source>Operations</source>
            <translation>Operasyon</translation>
        </message>
        <message>
            <source>Finance</source>
            <translation>Finans</translation>
        </message>
        <message>
            <source>Auditor</source>
            <translation>Denetçi</translation>
        </message>
        <message>
            <source>Admin</source>
            <translation>Yönetici</translation>
        </message>
        <message>
            <source>looks up, sees masked data</source>
            <translation>bakar, maskeli veri görür</translation>
        </message>
        <message>
            <source>works unknown payments, requests</source>
            <translation>belirsiz ödemeleri yürütür, ister</translation>
        </message>
        <message>
            <source>decides what others request</source>
            <translation>başkalarının istediğine karar verir</translation>
        </message>
        <message>
            <source>reads all, verifies the books</source>
            <translation>hepsini okur, defteri doğrular</translation>
        </message>
        <message>
            <source>sets up, decides nothing</source>
            <translation>kurar, hiçbir şeye karar vermez</translation>
        </message>
    </context>
    <context>
        <name>Standing</name>
        <message>
            <source>Trying now.</source>
            <translation>Şimdi deneniyor.</translation>
        </message>
        <message>
            <source>Trying again: try %1, in %2 s.</source>
            <translation>Yeniden denenecek: %1. deneme, %2 sn sonra.</translation>
        </message>
        <message>
            <source>Connection lost at %1. You see data as of %2, now %3 old.</source>
            <translation>Bağlantı %1 saatinde koptu. Gördükleriniz %2 saatinden, %3 eski.</translation>
        </message>
        <message>
            <source>Nothing is decided here; reading goes on when it is back. </source>
            <translation>Burada hiçbir şeye karar verilmez; bağlantı gelince okuma sürer. </translation>
        </message>
        <message>
            <source>The password is not right any more.</source>
            <translation>Parola artık doğru değil.</translation>
        </message>
        <message>
            <source>This login is no operator here any more.</source>
            <translation>Bu oturum artık burada operatör değil.</translation>
        </message>
        <message>
            <source>This login was disabled.</source>
            <translation>Bu oturum devre dışı bırakıldı.</translation>
        </message>
        <message>
            <source>This is no Tekil database any more.</source>
            <translation>Bu artık bir Tekil veritabanı değil.</translation>
        </message>
        <message>
            <source>The server does not let you in any more.</source>
            <translation>Sunucu artık girmenize izin vermiyor.</translation>
        </message>
        <message>
            <source>The engine of this console does not run.</source>
            <translation>Bu konsolun motoru çalışmıyor.</translation>
        </message>
        <message>
            <source>Payments and books stay as they are; mend the cause, then start it again.</source>
            <translation>Ödemeler ve defterler olduğu gibi kalır; nedeni giderin, sonra yeniden başlatın.</translation>
        </message>
        <message>
            <source>The engine of this console drains.</source>
            <translation>Bu konsolun motoru boşalıyor.</translation>
        </message>
        <message numerus="yes">
            <source>It takes no new payments; %n are still on their way.</source>
            <translation>
                <numerusform>Yeni ödeme almıyor; %n ödeme hâlâ yolda.</numerusform>
            </translation>
        </message>
        <message>
            <source>The engine of this console starts.</source>
            <translation>Bu konsolun motoru başlıyor.</translation>
        </message>
        <message>
            <source>Merchants are served as soon as it runs.</source>
            <translation>Çalışır çalışmaz işyerlerine hizmet verilir.</translation>
        </message>
        <message>
            <source>You see data as of %1; nothing can be done with it.</source>
            <translation>Gördükleriniz %1 saatinden; bunlarla bir şey yapılamaz.</translation>
        </message>
        <message>
            <source>This console and the database do not fit any more: it speaks version %1, this console %2.</source>
            <translation>Bu konsol ile veritabanı artık uyuşmuyor: o sürüm %1 konuşuyor, bu konsol %2.</translation>
        </message>
        <message>
            <source>Update the older one.</source>
            <translation>Eski olanı güncelleyin.</translation>
        </message>
        <message>
            <source>Sign in again, or ask an admin.</source>
            <translation>Yeniden oturum açın ya da bir yöneticiye sorun.</translation>
        </message>
        <message>
            <source>No engine runs: nothing is being processed.</source>
            <translation>Çalışan motor yok: hiçbir şey işlenmiyor.</translation>
        </message>
        <message>
            <source>No engine runs: nothing is being processed since %1, %2 ago.</source>
            <translation>Çalışan motor yok: %1 saatinden beri (%2 önce) hiçbir şey işlenmiyor.</translation>
        </message>
        <message>
            <source>Reservations stay as they are. Start an engine: it goes on where the last one ended.</source>
            <translation>Blokeler olduğu gibi kalır. Bir motor başlatın: sonuncunun bıraktığı yerden sürdürür.</translation>
        </message>
        <message>
            <source>Every engine drains: no new payment is taken.</source>
            <translation>Bütün motorlar boşalıyor: yeni ödeme alınmıyor.</translation>
        </message>
        <message>
            <source>What is on its way is ended or handed over.</source>
            <translation>Yolda olanlar sonuçlandırılır ya da devredilir.</translation>
        </message>
        <message>
            <source>Recovering more than %1 payments after an unclean end.</source>
            <translation>Düzensiz bir kapanıştan sonra %1 ödemeden fazlası toparlanıyor.</translation>
        </message>
        <message numerus="yes">
            <source>Recovering %n payments after an unclean end.</source>
            <translation>
                <numerusform>Düzensiz bir kapanıştan sonra %n ödeme toparlanıyor.</numerusform>
            </translation>
        </message>
        <message>
            <source>Each is asked for or sent on once its lease has ended; none is charged twice.</source>
            <translation>Kira süresi bitince her biri sorulur ya da sürdürülür; hiçbiri iki kez tahsil edilmez.</translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::CountTabs</name>
        <message numerus="yes">
            <source>%1, %n</source>
            <comment>a tab's word and how many</comment>
            <translation>
                <numerusform>%1, %n</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::Desk</name>
        <message>
            <source>Stop the engine</source>
            <translation>Motoru durdur</translation>
        </message>
        <message>
            <source>Stop the engine?</source>
            <translation>Motor durdurulsun mu?</translation>
        </message>
        <message numerus="yes">
            <source>%n payments are on their way.</source>
            <translation>
                <numerusform>%n ödeme yolda.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n requests came in the last minute.</source>
            <translation>
                <numerusform>Son dakikada %n istek geldi.</numerusform>
            </translation>
        </message>
        <message>
            <source>What is on its way is ended or handed over first; merchants get no answer until an engine runs again.</source>
            <translation>Yolda olanlar önce bitirilir ya da devredilir; bir motor yeniden çalışana kadar işyerleri yanıt alamaz.</translation>
        </message>
        <message>
            <source>Keep it running</source>
            <translation>Çalışmaya devam etsin</translation>
        </message>
        <message>
            <source>Ending</source>
            <translation>Kapanıyor</translation>
        </message>
        <message>
            <source>Payments on their way are ended or handed over, then the workspace is closed.</source>
            <translation>Yoldaki ödemeler bitiriliyor ya da devrediliyor, sonra çalışma alanı kapatılıyor.</translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::EntriesBlock</name>
        <message>
            <source>Entries</source>
            <translation>Kayıtlar</translation>
        </message>
        <message>
            <source>debit</source>
            <translation>borç</translation>
        </message>
        <message>
            <source>credit</source>
            <translation>alacak</translation>
        </message>
        <message>
            <source>Sum</source>
            <translation>Toplam</translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::EnvironmentTag</name>
        <message>
            <source>Environment: %1</source>
            <translation>Ortam: %1</translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::FactsList</name>
        <message>
            <source>%1: %2</source>
            <translation>%1: %2</translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::FindBox</name>
        <message>
            <source>No payment has “%1” as id, key or invoice.</source>
            <translation>Kimliği, anahtarı ya da faturası “%1” olan ödeme yok.</translation>
        </message>
        <message>
            <source>Find payment, key, invoice</source>
            <translation>Ödeme, anahtar, fatura bul</translation>
        </message>
        <message>
            <source>Find</source>
            <translation>Bul</translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::FindResults</name>
        <message numerus="yes">
            <source>%n found</source>
            <translation>
                <numerusform>%n bulundu</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::FlowDiagram</name>
        <message>
            <source>Flow of payments</source>
            <translation>Ödeme akışı</translation>
        </message>
        <message>
            <source>%1 came</source>
            <comment>rate of payments</comment>
            <translation>%1 geldi</translation>
        </message>
        <message>
            <source>%1 to %2: %3</source>
            <translation>%1 → %2: %3</translation>
        </message>
        <message>
            <source>accepted</source>
            <comment>payments that came, below their arrow</comment>
            <translation>kabul edilen</translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::HelpWindow</name>
        <message>
            <source>Help</source>
            <translation>Yardım</translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::InspectorHeader</name>
        <message>
            <source>Close</source>
            <translation>Kapat</translation>
        </message>
        <message>
            <source>Open in a window</source>
            <translation>Pencerede aç</translation>
        </message>
        <message>
            <source>%1 %2, %3</source>
            <translation>%1 %2, %3</translation>
        </message>
        <message>
            <source>Copy the id</source>
            <translation>Kimliği kopyala</translation>
        </message>
        <message>
            <source>Copy a summary</source>
            <translation>Özet kopyala</translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::LiveState</name>
        <message>
            <source>Connection: %1</source>
            <translation>Bağlantı: %1</translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::MainWindow</name>
        <message>
            <source>workspace on this computer</source>
            <translation>bu bilgisayardaki çalışma alanı</translation>
        </message>
        <message>
            <source>Sign in as another person…</source>
            <translation>Başka biri olarak oturum aç…</translation>
        </message>
        <message>
            <source>Sign out</source>
            <translation>Oturumu kapat</translation>
        </message>
        <message>
            <source>Dark colours</source>
            <translation>Koyu renkler</translation>
        </message>
        <message>
            <source>Light colours</source>
            <translation>Açık renkler</translation>
        </message>
        <message>
            <source>Times of this computer</source>
            <translation>Bu bilgisayarın saati</translation>
        </message>
        <message>
            <source>Times in UTC</source>
            <translation>UTC saati</translation>
        </message>
        <message>
            <source>Help</source>
            <translation>Yardım</translation>
        </message>
        <message>
            <source>Paused</source>
            <translation>Duraklatıldı</translation>
        </message>
        <message>
            <source>Connected</source>
            <translation>Bağlı</translation>
        </message>
        <message>
            <source>Not connected</source>
            <translation>Bağlı değil</translation>
        </message>
        <message>
            <source>%1 · data %2 old</source>
            <comment>connected or not, how old</comment>
            <translation>%1 · veri %2 önceki</translation>
        </message>
        <message>
            <source>Engine %1</source>
            <translation>Motor %1</translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::PersonButton</name>
        <message>
            <source>Signed in as %1, %2</source>
            <translation>%1, %2 olarak oturum açık</translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::Rail</name>
        <message numerus="yes">
            <source>%1, %n waiting</source>
            <translation>
                <numerusform>%1, bekleyen %n</numerusform>
            </translation>
        </message>
        <message>
            <source>Pages</source>
            <translation>Sayfalar</translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::RecordModel</name>
        <message>
            <source>a request is waiting</source>
            <translation>bir istek bekliyor</translation>
        </message>
        <message>
            <source>%1: %2</source>
            <comment>column and its value, for a screen reader</comment>
            <translation>%1: %2</translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::RecordTable</name>
        <message>
            <source>Try again</source>
            <translation>Yeniden dene</translation>
        </message>
        <message>
            <source>%1 (no room)</source>
            <comment>a column's name</comment>
            <translation>%1 (yer yok)</translation>
        </message>
        <message>
            <source>Reset columns</source>
            <translation>Sütunları sıfırla</translation>
        </message>
        <message>
            <source>Reading…</source>
            <translation>Okunuyor…</translation>
        </message>
        <message numerus="yes">
            <source>%n new, show</source>
            <comment>rows that arrived above</comment>
            <translation>
                <numerusform>%n yeni, göster</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::Shape</name>
        <message>
            <source>Processing</source>
            <translation>İşleniyor</translation>
        </message>
        <message>
            <source>Completed</source>
            <translation>Tamamlandı</translation>
        </message>
        <message>
            <source>Failed</source>
            <translation>Başarısız</translation>
        </message>
        <message>
            <source>Unknown</source>
            <translation>Belirsiz</translation>
        </message>
        <message>
            <source>Active</source>
            <translation>Aktif</translation>
        </message>
        <message>
            <source>Finalized</source>
            <translation>Kesinleşti</translation>
        </message>
        <message>
            <source>Released</source>
            <translation>Serbest bırakıldı</translation>
        </message>
        <message>
            <source>Alarm 1</source>
            <translation>Alarm 1</translation>
        </message>
        <message>
            <source>Alarm 1, acknowledged</source>
            <translation>Alarm 1, görüldü</translation>
        </message>
        <message>
            <source>Alarm 2</source>
            <translation>Alarm 2</translation>
        </message>
        <message>
            <source>Alarm 3</source>
            <translation>Alarm 3</translation>
        </message>
        <message>
            <source>Warning</source>
            <translation>Uyarı</translation>
        </message>
        <message>
            <source>Waiting</source>
            <translation>Bekliyor</translation>
        </message>
        <message>
            <source>Not current</source>
            <translation>Güncel değil</translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::SignInPage</name>
        <message>
            <source>Sign in as a demo person</source>
            <translation>Deneme kişisi olarak oturum aç</translation>
        </message>
        <message>
            <source>Only in a demo workspace. Another person gets a window of their own.</source>
            <translation>Yalnız deneme çalışma alanında. Başka biri kendi penceresini alır.</translation>
        </message>
        <message>
            <source>A workspace on this computer</source>
            <translation>Bu bilgisayarda bir çalışma alanı</translation>
        </message>
        <message>
            <source>A database of your organisation</source>
            <translation>Kurumunuzun bir veritabanı</translation>
        </message>
        <message>
            <source>Its database and its engine run here, as long as a window is open.</source>
            <translation>Veritabanı ve motoru, bir pencere açık olduğu sürece burada çalışır.</translation>
        </message>
        <message>
            <source>Your login and its role are kept by PostgreSQL; this window keeps no password.</source>
            <translation>Kullanıcınızı ve rolünü PostgreSQL tutar; bu pencere parola saklamaz.</translation>
        </message>
        <message>
            <source>People are added by the owner of the workspace with tekild admin operator add.</source>
            <translation>Kişileri çalışma alanının sahibi tekild admin operator add ile ekler.</translation>
        </message>
        <message>
            <source>Whoever owns this computer's account can do everything in this workspace: rules for two people hold here against mistakes, on a server against people.</source>
            <translation>Bu bilgisayarın hesabına sahip olan bu çalışma alanında her şeyi yapabilir: iki kişilik kurallar burada hatalara, sunucuda kişilere karşı geçerlidir.</translation>
        </message>
        <message>
            <source>Who signs in?</source>
            <translation>Kim oturum açıyor?</translation>
        </message>
        <message>
            <source>Write your login.</source>
            <translation>Kullanıcı adınızı yazın.</translation>
        </message>
        <message>
            <source>The workspace is not ready yet.</source>
            <translation>Çalışma alanı henüz hazır değil.</translation>
        </message>
        <message>
            <source>Wait until the line below says so.</source>
            <translation>Alttaki satır hazır diyene kadar bekleyin.</translation>
        </message>
        <message>
            <source>Signing in…</source>
            <translation>Oturum açılıyor…</translation>
        </message>
        <message>
            <source>The database does not answer.</source>
            <translation>Veritabanı yanıt vermiyor.</translation>
        </message>
        <message>
            <source>Try now</source>
            <translation>Şimdi dene</translation>
        </message>
        <message>
            <source>This console and the database do not fit.</source>
            <translation>Bu konsol ile veritabanı uyuşmuyor.</translation>
        </message>
        <message>
            <source>The database speaks version %1, this console %2. Update the older one.</source>
            <translation>Veritabanı %1, bu konsol %2 sürümünü konuşuyor. Eski olanı güncelleyin.</translation>
        </message>
        <message>
            <source>Login or password is wrong.</source>
            <translation>Kullanıcı adı ya da parola yanlış.</translation>
        </message>
        <message>
            <source>This login is no operator here.</source>
            <translation>Bu kullanıcı burada operatör değil.</translation>
        </message>
        <message>
            <source>An admin can make it one.</source>
            <translation>Bir yönetici operatör yapabilir.</translation>
        </message>
        <message>
            <source>This login is disabled.</source>
            <translation>Bu kullanıcı kapatılmış.</translation>
        </message>
        <message>
            <source>An admin can enable it.</source>
            <translation>Bir yönetici açabilir.</translation>
        </message>
        <message>
            <source>This is no Tekil database.</source>
            <translation>Bu bir Tekil veritabanı değil.</translation>
        </message>
        <message>
            <source>Look at the database's name, or migrate it with tekild migrate.</source>
            <translation>Veritabanının adına bakın ya da tekild migrate ile kurun.</translation>
        </message>
        <message>
            <source>The connection cannot be read.</source>
            <translation>Bağlantı okunamıyor.</translation>
        </message>
        <message>
            <source>The server refused this sign-in.</source>
            <translation>Sunucu bu oturumu geri çevirdi.</translation>
        </message>
        <message>
            <source>No engine runs here</source>
            <translation>Burada motor çalışmıyor</translation>
        </message>
        <message>
            <source>No engine runs here · %1</source>
            <translation>Burada motor çalışmıyor · %1</translation>
        </message>
        <message>
            <source>The workspace is being made</source>
            <translation>Çalışma alanı kuruluyor</translation>
        </message>
        <message>
            <source>The workspace starts</source>
            <translation>Çalışma alanı başlıyor</translation>
        </message>
        <message>
            <source>The database is brought up to date</source>
            <translation>Veritabanı güncelleniyor</translation>
        </message>
        <message>
            <source>Engine running</source>
            <translation>Motor çalışıyor</translation>
        </message>
        <message>
            <source>Joined: the engine runs in another program</source>
            <translation>Katılındı: motor başka bir programda çalışıyor</translation>
        </message>
        <message>
            <source>Engine drains</source>
            <translation>Motor boşalıyor</translation>
        </message>
        <message>
            <source>Engine stopped</source>
            <translation>Motor durdu</translation>
        </message>
        <message>
            <source>Engine does not run: %1</source>
            <translation>Motor çalışmıyor: %1</translation>
        </message>
        <message>
            <source>schema %1</source>
            <translation>şema %1</translation>
        </message>
        <message>
            <source>goes on after an unclean end: %1 under way, %2 unknown</source>
            <translation>düzensiz kapanıştan sonra sürdürüyor: %1 yolda, %2 bilinmiyor</translation>
        </message>
        <message>
            <source>One payment, one effect.</source>
            <translation>Tek ödeme, tek etki.</translation>
        </message>
        <message>
            <source>Workspace</source>
            <translation>Çalışma alanı</translation>
        </message>
        <message>
            <source>Database</source>
            <translation>Veritabanı</translation>
        </message>
        <message>
            <source>demo workspace on this computer</source>
            <translation>bu bilgisayardaki deneme çalışma alanı</translation>
        </message>
        <message>
            <source>workspace on this computer</source>
            <translation>bu bilgisayardaki çalışma alanı</translation>
        </message>
        <message>
            <source>another database</source>
            <translation>başka bir veritabanı</translation>
        </message>
        <message>
            <source>Login</source>
            <translation>Kullanıcı adı</translation>
        </message>
        <message>
            <source>Password</source>
            <translation>Parola</translation>
        </message>
        <message>
            <source>Connection</source>
            <translation>Bağlantı</translation>
        </message>
        <message>
            <source>host=… dbname=… or service=…</source>
            <translation>host=… dbname=… ya da service=…</translation>
        </message>
        <message>
            <source>Sign in</source>
            <translation>Oturum aç</translation>
        </message>
        <message>
            <source>Back</source>
            <translation>Geri</translation>
        </message>
        <message>
            <source>Connect to another database…</source>
            <translation>Başka bir veritabanına bağlan…</translation>
        </message>
        <message>
            <source>Try again</source>
            <translation>Yeniden dene</translation>
        </message>
        <message>
            <source>It is tried again by itself, try %1.</source>
            <translation>Kendiliğinden yeniden deneniyor, deneme %1.</translation>
        </message>
        <message>
            <source>Write the password again.</source>
            <translation>Parolayı yeniden yazın.</translation>
        </message>
        <message>
            <source>Another program is at work in the workspace</source>
            <translation>Çalışma alanında başka bir program iş görüyor</translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::StandingBand</name>
        <message>
            <source>Try now</source>
            <translation>Şimdi dene</translation>
        </message>
        <message>
            <source>Sign in again</source>
            <translation>Yeniden oturum aç</translation>
        </message>
        <message>
            <source>Start it again</source>
            <translation>Yeniden başlat</translation>
        </message>
        <message>
            <source>Details</source>
            <translation>Ayrıntılar</translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::StateDiagram</name>
        <message>
            <source>State diagram</source>
            <translation>Durum çizgesi</translation>
        </message>
        <message>
            <source>%1, the current state since %2</source>
            <translation>%1, %2 anından beri geçerli durum</translation>
        </message>
        <message>
            <source>%1, passed at %2</source>
            <translation>%1, %2 anında geçildi</translation>
        </message>
        <message>
            <source>%1, still possible, %2</source>
            <translation>%1, hâlâ olabilir, %2</translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::StatusLine</name>
        <message>
            <source>Cancel</source>
            <translation>İptal</translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::Timeline</name>
        <message>
            <source>Timeline</source>
            <translation>Zaman çizelgesi</translation>
        </message>
        <message>
            <source>All</source>
            <translation>Tümü</translation>
        </message>
        <message numerus="yes">
            <source>%1 idle, %n events folded</source>
            <comment>how long, how many</comment>
            <translation>
                <numerusform>%1 boş, %n olay katlandı</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::TopBar</name>
        <message>
            <source>Paused</source>
            <translation>Duraklatıldı</translation>
        </message>
        <message>
            <source>Live</source>
            <translation>Canlı</translation>
        </message>
        <message>
            <source>Polling</source>
            <translation>Yoklama</translation>
        </message>
        <message>
            <source>Connecting</source>
            <translation>Bağlanıyor</translation>
        </message>
        <message>
            <source>Reconnecting</source>
            <translation>Yeniden bağlanıyor</translation>
        </message>
        <message>
            <source>Wrong version</source>
            <translation>Yanlış sürüm</translation>
        </message>
        <message>
            <source>Signed out</source>
            <translation>Oturum kapalı</translation>
        </message>
        <message>
            <source>Go on</source>
            <translation>Sürdür</translation>
        </message>
        <message>
            <source>Pause</source>
            <translation>Duraklat</translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::overview::BooksLine</name>
        <message>
            <source>Debits = credits</source>
            <comment>the two sides of the books</comment>
            <translation>Borç = alacak</translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::overview::EngineList</name>
        <message>
            <source>Engines</source>
            <translation>Motorlar</translation>
        </message>
        <message>
            <source>No engine was at work here in the last day.</source>
            <translation>Son bir günde burada çalışan motor olmadı.</translation>
        </message>
        <message numerus="yes">
            <source>%n more</source>
            <translation>
                <numerusform>%n tane daha</numerusform>
            </translation>
        </message>
        <message>
            <source>since %1</source>
            <comment>when it was started</comment>
            <translation>%1 saatinden beri</translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::overview::OverviewPage</name>
        <message>
            <source>Overview</source>
            <translation>Genel bakış</translation>
        </message>
        <message>
            <source>The overview could not be read.</source>
            <translation>Genel bakış okunamadı.</translation>
        </message>
        <message>
            <source>What is shown is older. It is read again every second. %1</source>
            <translation>Görünenler daha eski. Saniyede bir yeniden okunur. %1</translation>
        </message>
        <message>
            <source>as of %1</source>
            <translation>%1 itibarıyla</translation>
        </message>
        <message>
            <source>all engines, now and the last minute</source>
            <translation>bütün motorlar, şu an ve son dakika</translation>
        </message>
        <message>
            <source>is being read</source>
            <translation>okunuyor</translation>
        </message>
        <message>
            <source>%1 payments</source>
            <translation>%1 ödeme</translation>
        </message>
        <message numerus="yes">
            <source>%n engines run</source>
            <translation>
                <numerusform>%n motor çalışıyor</numerusform>
            </translation>
        </message>
        <message>
            <source>Payments now</source>
            <translation>Ödemeler şu an</translation>
        </message>
        <message>
            <source>flow of the last minute; line width follows the flow</source>
            <translation>son dakikanın akışı; çizgi kalınlığı akışı izler</translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::payments::PaymentInspector</name>
        <message>
            <source>No payment is selected.</source>
            <translation>Seçili ödeme yok.</translation>
        </message>
        <message>
            <source>Choose one in the list, or find one with Ctrl+K.</source>
            <translation>Listeden seçin ya da Ctrl+K ile bulun.</translation>
        </message>
        <message>
            <source>Copy summary</source>
            <translation>Özeti kopyala</translation>
        </message>
        <message>
            <source>There is no payment with this id.</source>
            <translation>Bu kimlikte ödeme yok.</translation>
        </message>
        <message>
            <source>for %1</source>
            <comment>how long it has been in this state</comment>
            <translation>%1 süredir</translation>
        </message>
        <message>
            <source>%1, as of %2</source>
            <translation>%1, %2 itibarıyla</translation>
        </message>
        <message>
            <source>Invoice %1</source>
            <translation>Fatura %1</translation>
        </message>
        <message>
            <source>account %1</source>
            <translation>hesap %1</translation>
        </message>
        <message>
            <source>proof: charged</source>
            <translation>kanıt: tahsil</translation>
        </message>
        <message>
            <source>proof: not charged</source>
            <translation>kanıt: tahsil yok</translation>
        </message>
        <message>
            <source>none written</source>
            <translation>yazılmadı</translation>
        </message>
        <message>
            <source>none written; if charged:</source>
            <translation>yazılmadı; tahsil edilirse:</translation>
        </message>
        <message>
            <source>What the merchant asked for</source>
            <translation>İşyerinin istediği</translation>
        </message>
        <message>
            <source>Stored answer, the same for every repeat</source>
            <translation>Saklı yanıt, her tekrara aynı</translation>
        </message>
        <message>
            <source>Stored answer</source>
            <translation>Saklı yanıt</translation>
        </message>
        <message>
            <source>Nothing has been sent to a provider.</source>
            <translation>Sağlayıcıya hiçbir şey gönderilmedi.</translation>
        </message>
        <message>
            <source>Attempt %1 · %2</source>
            <translation>Deneme %1 · %2</translation>
        </message>
        <message>
            <source>Provider</source>
            <translation>Sağlayıcı</translation>
        </message>
        <message>
            <source>Started</source>
            <translation>Başlangıç</translation>
        </message>
        <message>
            <source>Took</source>
            <translation>Süre</translation>
        </message>
        <message>
            <source>Send before</source>
            <translation>Son gönderme</translation>
        </message>
        <message>
            <source>Sent</source>
            <translation>Gönderilen</translation>
        </message>
        <message>
            <source>Came back</source>
            <translation>Gelen</translation>
        </message>
        <message>
            <source>Your role does not read what was sent and what came back.</source>
            <translation>Rolünüz gönderileni ve geleni okumaz.</translation>
        </message>
        <message>
            <source>Summary</source>
            <translation>Özet</translation>
        </message>
        <message>
            <source>Request</source>
            <translation>İstek</translation>
        </message>
        <message>
            <source>Attempts</source>
            <translation>Denemeler</translation>
        </message>
        <message>
            <source>History</source>
            <translation>Geçmiş</translation>
        </message>
        <message>
            <source>Parts of the payment</source>
            <translation>Ödemenin bölümleri</translation>
        </message>
        <message>
            <source>Inspector</source>
            <translation>Ayrıntı paneli</translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::payments::PaymentSource</name>
        <message>
            <source>The filter cannot be read.</source>
            <translation>Süzgeç okunamadı.</translation>
        </message>
        <message>
            <source>Write it again, or clear it.</source>
            <translation>Yeniden yazın ya da temizleyin.</translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::payments::PaymentsPage</name>
        <message>
            <source>Payments</source>
            <translation>Ödemeler</translation>
        </message>
        <message>
            <source>Payment %1</source>
            <translation>Ödeme %1</translation>
        </message>
        <message>
            <source>as of %1</source>
            <translation>%1 itibarıyla</translation>
        </message>
        <message>
            <source>newest first</source>
            <translation>en yeni önce</translation>
        </message>
        <message>
            <source>There are no payments yet.</source>
            <translation>Henüz ödeme yok.</translation>
        </message>
        <message>
            <source>They appear here as soon as a merchant sends one.</source>
            <translation>Bir işyeri gönderir göndermez burada görünürler.</translation>
        </message>
        <message>
            <source>No unknown payments.</source>
            <translation>Belirsiz ödeme yok.</translation>
        </message>
        <message>
            <source>Every payment has a known outcome.</source>
            <translation>Her ödemenin sonucu belli.</translation>
        </message>
        <message>
            <source>Clear filter</source>
            <translation>Süzgeci temizle</translation>
        </message>
        <message>
            <source>No payment matches %1.</source>
            <translation>%1 ile eşleşen ödeme yok.</translation>
        </message>
        <message>
            <source>Clear the filter with Esc to see all.</source>
            <translation>Hepsini görmek için süzgeci Esc ile temizleyin.</translation>
        </message>
        <message>
            <source>searching</source>
            <translation>aranıyor</translation>
        </message>
        <message>
            <source>%1 match</source>
            <translation>%1 eşleşme</translation>
        </message>
        <message>
            <source>more than %1 match</source>
            <translation>%1 üstü eşleşme</translation>
        </message>
        <message>
            <source>%1 of %2%3 payments</source>
            <translation>%2%3 ödemenin %1 tanesi</translation>
        </message>
        <message>
            <source>%1 payments and more</source>
            <translation>%1 ödeme ve fazlası</translation>
        </message>
        <message>
            <source>%1 selected: %2</source>
            <translation>%1 seçili: %2</translation>
        </message>
        <message>
            <source>the sum is too large</source>
            <translation>toplam çok büyük</translation>
        </message>
        <message>
            <source>operation</source>
            <translation>işlem</translation>
        </message>
        <message>
            <source>key</source>
            <translation>anahtar</translation>
        </message>
        <message>
            <source>invoice</source>
            <translation>fatura</translation>
        </message>
        <message>
            <source>Columns</source>
            <translation>Sütunlar</translation>
        </message>
        <message>
            <source>field:value, for example state:unknown</source>
            <translation>alan:değer, örneğin state:unknown</translation>
        </message>
        <message>
            <source>Filter</source>
            <translation>Süzgeç</translation>
        </message>
        <message>
            <source>state: invoice: key: merchant: account: amount&gt; created: id: currency: type: provider:</source>
            <translation>state: invoice: key: merchant: account: amount&gt; created: id: currency: type: provider:</translation>
        </message>
        <message>
            <source>Invoice %1</source>
            <translation>Fatura %1</translation>
        </message>
        <message numerus="yes">
            <source>%n payments</source>
            <translation>
                <numerusform>%n ödeme</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>tekil::ui::payments::ReservationBlock</name>
        <message>
            <source>Reservation</source>
            <translation>Bloke</translation>
        </message>
        <message>
            <source>none was made</source>
            <translation>yapılmadı</translation>
        </message>
        <message>
            <source>since %1</source>
            <translation>%1 anından beri</translation>
        </message>
        <message>
            <source>freed by proof only</source>
            <translation>yalnız kanıtla kalkar</translation>
        </message>
        <message>
            <source>spent %1</source>
            <translation>harcandı %1</translation>
        </message>
        <message>
            <source>freed %1</source>
            <translation>kaldırıldı %1</translation>
        </message>
    </context>
</TS>
