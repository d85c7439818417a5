"""Names of headers that a model's header must not hide, without their ends `.h`.

A folder that contains the header of a model precedes the folders of the board's headers when a compiler, or Arduino's
search for libraries, looks for `NAME.h`.
"""

from __future__ import annotations

_STANDARD = """
    alloca ar argz assert complex cpio ctype devctl dirent elf envlock envz errno fastmath fcntl fenv float fnmatch
    getopt glob grp iconv ieeefp inttypes iso646 langinfo libgen limits locale malloc math memory ndbm newlib paths
    pthread pwd reent regdef regex sched search setjmp signal spawn stdalign stdarg stdatomic stdbool stddef stdint
    stdio stdio_ext stdlib stdnoreturn string strings tar termios tgmath threads time uchar unctrl unistd utime utmp
    wchar wctype wordexp
"""
"""The headers of C11, of newlib 4.4 and of avr-libc 2.0."""

_CORES = """
    AddrList analog ard_ssl Arduino ArduinoAPI AudioOutputBase base64 binary Binary BluetoothLock boot Bootsel BTAddress
    BTStatus CallBackList CanMsg CanMsgRingbuffer cbuf cdecode cencode ChallengerLTE ChallengerWiFi circular_queue
    Client ColorFormat common Compat Connectivity cont core_esp8266_features core_esp8266_i2s core_esp8266_non32xfer
    core_esp8266_version core_esp8266_vm core_esp8266_waveform core_version coredecls CoreMutex Crypto
    ctocppcallback cyw43_wrappers dac debug debug_internal DMAPool eboot_command elc_defines Esp esp8266_peri
    esp8266_undocumented esp_arduino_version esp_err esp_priv extra_attr FifoBuffer firmware_msc_fat FirmwareMSC
    flash_hal flash_quirks flash_utils FlashMap freertos_stats FS FSImpl FspLinkIrq FspTimer FspTransfer
    FunctionalInterrupt FunctionQueue gdb_hooks hardware_reset HardwareCAN HardwareI2C HardwareSerial
    HardwareSerial_private HardwareSPI HashBuilder heap_api_debug HEXBuilder HWCDC hwdt_app_entry Ilabs2040WiFiClass
    Interrupts io_pin_remap IPAddress IPv6Address IRQManager itoa LocklessQueue lwip_wrap LwipDhcpServer LwipIntf
    LwipIntfDev MacAddress MacAddress8 macros mbed mbed_config md5 MD5Builder mmu_iram new nina_pins opta_info
    overloads pgmspace pinDefinitions pinmode_arduino pins_arduino PIOProgram PluggableUSB PolledTimeout
    portenta_info Print Printable psram pure_analog_pins pwm reboot_uart_dwnld Reset RingBuffer RP2040Support
    RP2040Version SafeRingBuffer Schedule secrets SemiFS Semihosting SERCOM Serial SerialPIO SerialSemi SerialUART
    SerialUSB Server SHA1Builder sigma_delta sntp SoftwareSerial spi_flash_defs spi_utils spi_vendors spiffs_api
    ssl_drv StackThunk stdlib_noniso Stream StreamDev StreamString String StringUtils sync syscalls timer Tone
    tusb_config twi twi_util TypeConversion TZ Uart UARTClass Udp Updater Updater_Signing USARTClass USB USBAPI
    USBCDC USBCore USBDesc USBHost USBMSC user_config variant watchdog WCharacter WifioProtocol WInterrupts wiring
    wiring_analog wiring_constants wiring_digital wiring_private wiring_pulse wiring_shift wl_definitions wl_types
    WMath WString WVariant
"""
"""The headers directly in `cores/*`, their folders `api` and `variants/*` of Arduino's cores: arduino/ArduinoCore-API
(cd91833), ArduinoCore-avr (11b9130), ArduinoCore-samd (993398c), ArduinoCore-sam (790ff2c), ArduinoCore-mbed (b4ad4e7)
and ArduinoCore-renesas (99f8ee4), earlephilhower/arduino-pico (387294c), esp8266/Arduino (f946290) and
espressif/arduino-esp32 (`cores/esp32`, version 3)."""

_LIBRARIES = """
    A2DPSink A2DPSource AClient ADCInput address adk analogWave anx7625 Arduino_CAN Arduino_FreeRTOS
    Arduino_H7_Video Arduino_LED_Matrix arduino_openamp ArduinoOTA ArduinoRobot ArduinoRobotMotorBoard
    ArduinoTestSuite ArduinoWiFiServer AsyncUDP AudioBufferManager BearSSLHelpers BLE BLE2901 BLE2902 BLE2904
    BLEAddress BLEAdvertisedDevice BLEAdvertisementData BLEAdvertising BLEAdvTypes BLEBeacon BLECB BLECharacteristic
    BLEClient BLECommon BLEConnInfo BLEDebug BLEDescriptor BLEDevice BLEEddystoneTLM BLEEddystoneURL BLEExceptions
    BLEHIDDevice BLEL2CAP BLEProperty BLERemoteCharacteristic BLERemoteDescriptor BLERemoteService BLEScan
    BLEScanResults BLESecurity BLEServer BLEService BLEServiceBattery BLEServiceUART BLEStream BLETypes BLEUtils
    BLEUUID BlockDevice BluetoothAudio BluetoothAudioConsumer BluetoothAudioConsumerI2S BluetoothAudioConsumerPWM
    BluetoothDevice BluetoothHCI BluetoothHIDMaster BluetoothMediaConfigurationSBC BluetoothSerial board_config
    Boards BQ25120A Bridge BridgeClient BridgeServer BridgeUdp BSP BTstackLib buffercmux BufferedBlockDevice camera
    CanUtil CCtrlWrapper CertStoreBearSSL CEspCbks CEspCommunication CEspControl ChainingBlockDevice CMsg CMUXClass
    CNetIf CodeFlashBlockDevice command compiler_abstraction ConditionalPrinter confdescparser Console
    coreboot_tables DataFlashBlockDevice Dhcp Dir DirHandle diskio Dns DNSServer dsi dummy dummy_rp2040 dummy_rp2350
    ea_malloc edid EEPROM ENC28J60lwIP EncryptedConnectionData EncryptedConnectionLog ESP32_NOW ESP8266AVRISP
    ESP8266HTTPClient ESP8266httpUpdate ESP8266HTTPUpdateServer ESP8266LLMNR ESP8266mDNS ESP8266NetBIOS ESP8266SSDP
    ESP8266WebServer ESP8266WebServerSecure ESP8266WiFi ESP8266WiFiAP ESP8266WiFiGeneric ESP8266WiFiGratuitous
    ESP8266WiFiMesh ESP8266WiFiMulti ESP8266WiFiScan ESP8266WiFiSTA ESP8266WiFiType ESP_I2S ESP_NOW ESP_SR esp_wpa2
    EspChipManager ESPHost Esplora ESPmDNS EspnowConnectionManager EspnowDatabase EspnowEncryptionBroker
    EspnowMeshBackend EspnowNetworkInfo EspnowProtocolInterpreter EspnowTransmitter EspSpiDriver ETH Ethernet
    EthernetC33 EthernetClient EthernetClock EthernetCompat EthernetDriver EthernetServer EthernetSSLClient
    EthernetUdp ExhaustibleBlockDevice ExpiringTimeTracker FATFileSystem FatFS FatFSUSB ff FFat ffconf File FileBase
    FileHandle FileIO FileLike FilePath FileSystem FileSystemHandle FileSystemLike Firmata FlashSimBlockDevice
    FloodingMesh format FreeRTOSConfig FSTools gallery gc2145 GDBStub GPS GSM GSMClient GSMDebug GSMSSLClient GSMUdp
    H7DisplayShield Hash HeapBlockDevice HeapMonitor helpers hexdump hid HID_Bluetooth hidboot hidescriptorparser
    hiduniversal hidusagestr himax hm0360 hspi_slave HTTP_Method http_parser HTTPClient HTTPServer HTTPUpdate
    HTTPUpdateServer I2S Insights Joystick JoystickBLE JoystickBT JsonTranslator KernelDebug Keyboard KeyboardBLE
    KeyboardBT KeyboardController KVStore LEAmDNS LEAmDNS_lwIPdefs LEAmDNS_Priv lfs lfs_config lfs_util
    LiquidCrystal LittleFileSystem LittleFS ll lv_conf lv_conf_8 lv_conf_9 lwIP_CYW43 lwIP_ESPHost lwIP_WINC1500
    lwipClient lwipDhcpServerPriv LwipEthernet lwipMem lwipopts lwipServer lwipTcp lwipTypes lwipUDP Mailbox
    mailbox_hsem_if Matter mbed_memory_status MbedClient MbedCRC MbedServer MbedSSLClient MbedUdp mbox_hsem
    MBRBlockDevice MCUboot MeshBackendBase MeshCryptoInterface message MessageData MLC Modem Mouse MouseAbsolute
    MouseBLE MouseBT MouseController MRI MutexTracker Nano33BLE_System NCMEthernetlwIP NDP NetBIOS Netdump NetdumpIP
    NetdumpPacket Network NetworkClient NetworkClientSecure NetworkEvents NetworkInfo NetworkInfoBase
    NetworkInterface NetworkManager NetworkServer NetworkUdp Nicla_System Nicla_Vision_System ObservingBlockDevice
    OPAMP openamp openamp_conf OTAUpdate OThread OThreadCLI ov767x PacketType parsetools PDM pdm2pcm_glo
    PeerRequestLog PicoBluetoothBLEHID PicoBluetoothHID PicoOTA PluggableUSBAudio PluggableUSBHID PluggableUSBMIDI
    PluggableUSBMSD Portenta_Ethernet Portenta_System PortentaEthernet PPP PPPServer Preferences printhex Process
    PTYSerial PWMAudio PWMAudioPrecalc QSPIFlashBlockDevice R7FA4M1_CAN R7FA6M5_CAN ram_internal ReadOnlyBlockDevice
    RequestData ResponseData RGBled RMaker Robot_Control RobotIRremote rp2040 RPC RPC_client rpclib rpmsg_internal
    rsc_table RTC SAMD_AnalogCorrection SAMD_BootloaderUpdater SBU Scheduler SD SD_MMC SDCardBlockDevice SDFS
    SDMMCBlockDevice SDRAM SDU SE05X SerialBT Serializer SerialRPC Servo SFU SimpleBLE SimpleMDNS SingleFileDrive
    sink_parser SlicingBlockDevice SNU SocketHelpers SoftwareATSE SoftwareSPI SpacebrewYun SPI SPIFFS SPIHelper
    SPISlave ssl_client ssl_debug ssl_entropy ssl_fs_io SSLClient SSU st7701 Stepper stm32_fs_platform
    stm32_otg_platform STM32H747_System storage_common storage_retarget StringHelpers SyncCanMsgRingbuffer
    syntiant_ndp120_tiny syntiant_spictl_regs syntiant_tiny_cspi TcpIpMeshBackend TcpIpNetworkInfo TDBStore
    teeny_usb teeny_usb_host teeny_usb_platform Temboo TextAnimation TFLiteMicro TFT TFTv2 ThreadDebug Ticker
    TimeTracker TransmissionOutcome TransmissionResult tusb_def tusb_hid_mouse TypeConversionFunctions Update Uri
    USB251xB usb_ch9 USBAudioCard USBAudioCardDescriptors USBHID USBHID_Types USBHIDConsumerControl USBHIDGamepad
    USBHIDKeyboard USBHIDMouse USBHIDReportMapParse USBHIDSystemControl USBHIDVendor USBHostHID USBHostHIDGamepad
    USBHostHIDKeyboard USBHostHIDMouse USBHostMSC UsbHostMsd USBHostSerial usbhub USBKeyboard USBMIDI USBMouse
    USBMouseKeyboard USBMSCFS UsbMsd USBVendor UtilityFunctions VFS video_modes virtualEEPROM W5100lwIP W5500lwIP
    W55RP20lwIP W6100lwIP W6300lwIP WDT WebServer WebServerSecure WebServerTemplate WiFi WiFiAP WiFiC3 WiFiClass
    WiFiClient WiFiClientSecure WiFiClientSecureBearSSL WiFiCommands WiFiFileSystem WiFiGeneric WiFiMulti WiFiNTP
    WiFiProv WiFiS3 WiFiScan WiFiServer WiFiServerSecure WiFiServerSecureBearSSL WiFiSSLClient WiFiSTA WiFiType
    WiFiTypes WiFiUdp winc1500 Wire wiznet_pio_qspi wiznet_pio_spi YunServer Zigbee
"""
"""The headers directly in `libraries/*` and `libraries/*/src` of these repositories, without the game Doom, and the
main headers of the libraries of Arduino's IDE 1.8 and of arduino-esp32."""

_EVERYWHERE = """
    Arduino Bridge Client EEPROM Ethernet Firmata GSM HardwareSerial HID IPAddress Keyboard LiquidCrystal Mouse Print
    Printable SD Serial Server Servo SoftwareSerial SPI Stepper Stream String TFT Udp USB WiFi Wire WString
"""
"""Headers of the two lists above that most boards of Arduino have."""

_HEADERS = frozenset(" ".join((_STANDARD, _CORES, _LIBRARIES)).split())
_IN_ANY_CASE = frozenset(" ".join((_STANDARD, _EVERYWHERE)).lower().split())


def is_header(name: str) -> bool:
    """Whether `name` with the end `.h` is a header of C, of Arduino's cores or of their libraries.

    The case of letters, which some file systems ignore, is ignored for headers that most boards have.
    """
    return name in _HEADERS or name.lower() in _IN_ANY_CASE
